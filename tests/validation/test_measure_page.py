"""Does ``measure`` refuse what it cannot do, and keep a user's own launch so it can be replayed?"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from simulator.errors import ArgumentError
from simulator.frontends.cuda import compile_cuda
from validation import measure_page
from validation.__main__ import app
from validation.errors import MeasureError
from validation.jobs import read_job
from validation.outputs import digest
from validation.own import OwnLaunch, keep_job, own_problem, place, prepare_own
from validation.records import SUFFIX, Record, load_record, save_record
from validation.replays import replay_record

SOURCE = """extern "C" __global__ void twice(const float* in, float* out) {
    out[threadIdx.x] = 2 * in[threadIdx.x];
}"""
ARGUMENTS = ("f32[32]=arange", "f32[32]=zeros")


def own(source: Path | None, cubin: Path | None = None, **changes: Any) -> OwnLaunch:
    fields: dict[str, Any] = {"entry": None, "grid": "1", "block": "32", "shared_bytes": 0}
    fields |= {"arguments": ARGUMENTS, "options": (), "seed": 0}
    return OwnLaunch(source=source, cubin=cubin, **(fields | changes))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "twice.cu"
    path.write_text(SOURCE)
    return path


def measure(*words: str) -> Result:
    return CliRunner().invoke(app, ["measure", *words])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give exactly one of --kernel, --source, --cubin, --jobs; none given"),
        (["--kernel", "saxpy", "--source", "x.cu"], "--kernel and --source given"),
        (["--kernel", "saxpy", "--grid", "3"], "--grid does not go with --kernel"),
        (["--source", "x.cu", "--block", "32"], "needs --grid"),
        (["--cubin", "x", "--grid", "1", "--block", "1", "--arg", "3"], "'3': cannot be read"),
    ],
)
def test_bad_input_is_refused_before_the_gpu_is_asked(words: list[str], message: str) -> None:
    result = measure(*words)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_without_a_gpu_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise MeasureError("measuring needs CuPy")

    monkeypatch.setattr(measure_page, "import_cupy", none)
    result = measure("--kernel", "saxpy")
    assert result.exit_code == 2
    assert "measuring needs CuPy" in result.stderr


def pretended_gpu(name: str, capability: str) -> Any:
    runtime = SimpleNamespace(getDeviceProperties=lambda _: {"name": name.encode()})
    device = SimpleNamespace(compute_capability=capability, id=0)
    return SimpleNamespace(cuda=SimpleNamespace(Device=lambda: device, runtime=runtime))


def test_the_gpu_decides_code_and_folder(capsys: pytest.CaptureFixture[str]) -> None:
    known = pretended_gpu("NVIDIA GeForce RTX 4090", "89")
    assert measure_page._this_gpu(known) == (89, "rtx4090")
    assert capsys.readouterr().err == ""
    unknown = pretended_gpu("NVIDIA Q9", "89")
    assert measure_page._this_gpu(unknown) == (89, "nvidiaq9")
    assert "no data file" in " ".join(capsys.readouterr().err.split())


def test_own_launch_is_kept_and_replayed(source: Path, tmp_path: Path) -> None:
    launch = own(source)
    folder = prepare_own(launch, own_problem(launch), 90, "twice", tmp_path / "jobs")
    job = read_job(folder)
    assert (job.stored, job.entry, job.architecture) == (True, "twice", 90)
    path = tmp_path / "out" / f"twice{SUFFIX}"
    keep_job(folder, path.parent)
    record = Record(
        kernel=job.kernel,
        size={},
        seed=0,
        digest=job.digest,
        entry=job.entry,
        architecture=90,
        program_hash=job.program_hash,
        compiler=job.compiler,
        launch={"grid": job.grid, "block": job.block, "shared_bytes": 0},
        provenance={"gpu": "NVIDIA H200"},
    )
    save_record(record, path)
    run = replay_record(load_record(path), path)
    assert digest(run.outputs[1]) == digest(2 * np.arange(32, dtype=np.float32))


def test_a_cubin_for_another_gpu_is_refused(source: Path, tmp_path: Path) -> None:
    cubin = tmp_path / "twice.cubin"
    cubin.write_bytes(compile_cuda(SOURCE, device="rtx4090").cubin)
    launch = own(None, cubin)
    with pytest.raises(ArgumentError, match="machine code for sm_89, this GPU is sm_90"):
        prepare_own(launch, own_problem(launch), 90, "twice", tmp_path)
    with pytest.raises(ArgumentError, match="--option does not go with --cubin"):
        prepare_own(own(None, cubin, options=("-DN=1",)), own_problem(launch), 89, "t", tmp_path)


def test_out_names_a_folder_or_one_file() -> None:
    assert place(Path("a/b"), "k") == (Path("a/b"), "k")
    assert place(Path(f"a/mine{SUFFIX}"), "k") == (Path("a"), "mine")
