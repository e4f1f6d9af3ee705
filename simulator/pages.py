"""What all command-line pages share: consoles, errors and exit codes."""

from __future__ import annotations

import functools
import gc
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NoReturn, TypeVar

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from simulator.errors import InputError, SimulatorError

EXIT_BAD_INPUT = 2
# New objects after which Python looks for garbage. What a page loads mostly stays, so looking as
# often as usual (700) would take a tenth of its time.
_COLLECT_AFTER = 100_000
EXIT_INTERRUPTED = 130
Page = TypeVar("Page", bound=Callable[..., Any])


def make_console(stderr: bool = False) -> Console:
    """A console that neither guesses at colours for numbers nor reads markup or emoji."""
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=False)


def show(renderable: RenderableType) -> None:
    """Print to standard output: in colour on a terminal, as plain lines without padding else."""
    console = make_console()
    if console.is_terminal:
        console.print(renderable)
        return
    buffer = io.StringIO()
    plain = Console(file=buffer, width=console.width, highlight=False, markup=False, no_color=True)
    plain.print(renderable)
    for line in buffer.getvalue().splitlines():
        print(line.rstrip())


def show_error(message: str) -> None:
    """Print an error to standard error: its first line in red, what follows as it is."""
    first, *rest = message.splitlines() or [""]
    console = make_console(stderr=True)
    console.print(Text.assemble(("error: ", "bold red"), (first, "red")), soft_wrap=True)
    for line in rest:
        console.print(Text(line), soft_wrap=True)


def show_note(message: str) -> None:
    """Print a remark to standard error, where it does not disturb the result."""
    make_console(stderr=True).print(Text(message, "dim"), soft_wrap=True)


def waiting(text: str) -> AbstractContextManager[object]:
    """Shows what is going on while it lasts, on a terminal only."""
    console = make_console(stderr=True)
    return console.status(text) if console.is_terminal else nullcontext()


def page(function: Page) -> Page:
    """Make a function a page: errors raised on purpose become one message and exit code 2."""

    @functools.wraps(function)
    def run(*arguments: Any, **options: Any) -> Any:
        with _reported(typer.Exit):
            return function(*arguments, **options)

    return run  # type: ignore[return-value]


@contextmanager
def _reported(leave: Callable[[int], BaseException]) -> Iterator[None]:
    """Show errors raised on purpose and end with the exception made of an exit code."""
    try:
        yield
    except SimulatorError as error:
        show_error(str(error))
        raise leave(EXIT_BAD_INPUT) from None
    except KeyboardInterrupt:
        show_error("interrupted")
        raise leave(EXIT_INTERRUPTED) from None
    except BrokenPipeError:  # the reader, for example head, has seen enough
        sys.stderr.close()
        raise leave(0) from None


def run_script(main: Callable[[], int | None]) -> NoReturn:
    """Run the main function of a script that is no page, and end with the code it returns.

    Its errors are shown as pages show theirs, and so are files and folders that its command line
    names and that cannot be read or written.
    """
    with _reported(SystemExit):
        try:
            code = main()
        except BrokenPipeError:
            raise
        except OSError as error:
            place = error.filename or "a file"
            raise InputError(f"cannot open {place}: {error.strerror}; name another") from None
    raise SystemExit(code)


def make_app(help_text: str) -> typer.Typer:
    """A typer application without shell completion and without rich tracebacks."""
    gc.set_threshold(_COLLECT_AFTER)
    return typer.Typer(
        help=help_text, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
    )


def add_page(app: typer.Typer, name: str, function: Callable[..., None], text: str) -> None:
    """A page of an application; the list of pages shows the first paragraph of its help, whole."""
    summary = " ".join(text.split("\n\n")[0].split())
    app.command(name, help=text, short_help=summary)(function)
