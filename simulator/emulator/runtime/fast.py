"""Fast paths of the commonest loads and stores, as LLVM IR compiled once with full optimisation.

They serve full warps whose lanes all stay in one buffer (in local memory: at one offset, as spills
are), 32 bits to 128 bits wide; everything else goes on to the functions of runtime.access, which
mean the same. One row of 32 lanes is four vectors of eight.
"""

from __future__ import annotations

from simulator.emulator import layout
from simulator.emulator.runtime.codes import WIDTH_CODES
from simulator.emulator.runtime.rows_text import VECTORS, P, Text, V, W
from simulator.emulator.runtime.state import EVENT_ADDRESSES, EVENT_BYTES
from simulator.events import GLOBAL_BASE

_EVENT_ROW = EVENT_ADDRESSES * 4
WIDTHS = {4: WIDTH_CODES["32"], 8: WIDTH_CODES["64"], 16: WIDTH_CODES["128"]}


def function_name(space: str, store: bool, width: int) -> str:
    """Symbol of a fast path."""
    return f"smr_{space}_{'store' if store else 'load'}_{width}"


def module_text() -> str:
    """The IR module of all fast paths."""
    parts = [
        f"declare {V} @llvm.masked.gather.v8i32.v8p0({P}, i32, <8 x i1>, {V})",
        "declare i32 @llvm.vector.reduce.or.v8i32(<8 x i32>)",
        "declare void @smr_shared_load(ptr, ptr, i32, i32, i32, i32, i32, i32, i32)",
        "declare void @smr_shared_store(ptr, ptr, i32, i32, i32, i32, i32, i32, i32)",
        "declare void @smr_local_load(ptr, ptr, i32, i32, i32, i32, i32, i32, i32)",
        "declare void @smr_local_store(ptr, ptr, i32, i32, i32, i32, i32, i32, i32)",
        "declare void @smr_load(ptr, ptr, i64, i32, i32, i32, i32, i32, i32)",
        "declare void @smr_store(ptr, ptr, i64, i32, i32, i32, i32, i32, i32)",
    ]
    for width in WIDTHS:
        for store in (False, True):
            parts += [_shared(width, store), _local(width, store), _global(width, store)]
    return "\n".join(parts)


_SHORT_HEAD = "ptr %w, ptr %x, i32 %i, i32 %lanes, i32 %data, i32 %row, i32 %offset, i32 %shift"


def _short_addresses(t: Text) -> tuple[str, list[str]]:
    """The next event, and 32-bit addresses written into it, as vectors."""
    t.do("%full = icmp eq i32 %lanes, -1", "br i1 %full, label %check, label %slow", "check:")
    event = _event(t)
    source, offset, shift = t.row("%row"), t.splat("%offset", "i32"), t.splat("%shift", "i32")
    addresses = []
    for n in VECTORS:
        lane = t.let(f"load {V}, ptr {t.part(source, n)}, align 32")
        address = t.let(f"add {V} {t.let(f'shl {V} {lane}, {shift}')}, {offset}")
        t.do(f"store {V} {address}, ptr {_event_part(t, event, n)}, align 4")
        addresses.append(address)
    return event, addresses


def _short_slow(space: str, width: int, store: bool) -> str:
    return (
        f"tail call void @smr_{space}_{'store' if store else 'load'}(ptr %w, ptr %x, i32 %i, "
        f"i32 %lanes, i32 %data, i32 %row, i32 %offset, i32 %shift, i32 {WIDTHS[width]})"
    )


def _local(width: int, store: bool) -> str:
    """All lanes at one offset: whole rows, as local memory keeps a word of all lanes together."""
    t = Text()
    event, addresses = _short_addresses(t)
    offset = t.let(f"extractelement {V} {addresses[0]}, i64 0")
    room = t.let(f"sub i32 {t.let(f'trunc i64 {t.context(layout.X_LOCAL_BYTES)} to i32')}, {width}")
    far = t.splat(t.let(f"zext i1 {t.let(f'icmp ugt i32 {offset}, {room}')} to i32"), "i32")
    odd = t.splat(t.let(f"and i32 {offset}, {width - 1}"), "i32")
    apart = [t.let(f"xor {V} {a}, {t.splat(offset, 'i32')}") for a in addresses]
    _leave_if_wrong(t, [far, odd, *apart])
    _commit(t, event, 2)
    _move_rows(t, offset, width, store)
    return _define(
        function_name("local", store, width), _SHORT_HEAD, t, _short_slow("local", width, store)
    )


def _move_rows(t: Text, offset: str, width: int, store: bool) -> None:
    """Copy rows between registers and the warp's local memory at a byte offset."""
    warp = t.let(f"load i32, ptr {t.let(f'getelementptr i32, ptr %w, i64 {layout.WARP}')}")
    before = t.let(
        f"mul i64 {t.let(f'zext i32 {warp} to i64')}, {t.context(layout.X_LOCAL_WARP_WORDS)}"
    )
    start = t.let(f"mul i64 {t.let(f'zext i32 {offset} to i64')}, {layout.LANES}")
    own = t.let(f"getelementptr i32, ptr {t.pointer(layout.X_LOCAL)}, i64 {before}")
    memory, rows = t.let(f"getelementptr i8, ptr {own}, i64 {start}"), t.row("%data")
    for word in range(width // 4):
        for n in VECTORS:
            there, here = t.part(memory, n, word), t.part(rows, n, word)
            source, target = (here, there) if store else (there, here)
            t.do(f"store {V} {t.let(f'load {V}, ptr {source}, align 4')}, ptr {target}, align 4")
    t.do("ret void")


def _shared(width: int, store: bool) -> str:
    t = Text()
    event, places = _short_addresses(t)
    first = t.splat(t.let(f"trunc i64 {t.context(layout.X_SHARED_FIRST)} to i32"), "i32")
    end = t.let(f"trunc i64 {t.context(layout.X_SHARED_BYTES)} to i32")
    room = t.splat(t.let(f"sub i32 {end}, {width}"), "i32")
    addresses, wrong = [], []
    for address in places:
        low = t.let(f"icmp ult {V} {address}, {first}")
        high = t.let(f"icmp sgt {V} {address}, {room}")
        out = t.let(f"sext <8 x i1> {t.let(f'or <8 x i1> {low}, {high}')} to {V}")
        odd = t.let(f"and {V} {address}, splat (i32 {width - 1})")
        wrong.append(t.let(f"or {V} {out}, {odd}"))
        addresses.append(t.let(f"zext {V} {address} to {W}"))
    _leave_if_wrong(t, wrong)
    _commit(t, event, 0)
    _move(t, t.pointer(layout.X_SHARED), addresses, event, width, store)
    slow = _short_slow("shared", width, store)
    return _define(function_name("shared", store, width), _SHORT_HEAD, t, slow)


def _global(width: int, store: bool) -> str:
    t = Text()
    head = "ptr %w, ptr %x, i64 %offset, i32 %i, i32 %lanes, i32 %data, i32 %low, i32 %high"
    t.do("%full = icmp eq i32 %lanes, -1", "br i1 %full, label %check, label %slow", "check:")
    event = _event(t)
    lows, highs = t.row("%low"), t.row("%high")
    base = t.splat(t.let(f"sub i64 %offset, {GLOBAL_BASE}"), "i64")
    first, room = _known_buffer(t, width)
    addresses, wrong = [], []
    for n in VECTORS:
        low = t.let(f"zext {V} {t.let(f'load {V}, ptr {t.part(lows, n)}, align 32')} to {W}")
        high = t.let(f"zext {V} {t.let(f'load {V}, ptr {t.part(highs, n)}, align 32')} to {W}")
        pair = t.let(f"or {W} {t.let(f'shl {W} {high}, splat (i64 32)')}, {low}")
        address = t.let(f"add {W} {pair}, {base}")
        short = t.let(f"trunc {W} {address} to {V}")
        t.do(f"store {V} {short}, ptr {_event_part(t, event, n)}, align 4")
        below = t.let(f"icmp slt {W} {address}, {first}")
        above = t.let(f"icmp sgt {W} {address}, {room}")
        out = t.let(f"sext <8 x i1> {t.let(f'or <8 x i1> {below}, {above}')} to {V}")
        odd = t.let(f"and {V} {short}, splat (i32 {width - 1})")
        wrong.append(t.let(f"or {V} {out}, {odd}"))
        addresses.append(address)
    _leave_if_wrong(t, wrong)
    _commit(t, event, 1)
    _move(t, t.pointer(layout.X_GLOBAL), addresses, event, width, store)
    name = function_name("global", store, width)
    slow = (
        f"tail call void @smr_{'store' if store else 'load'}(ptr %w, ptr %x, i64 %offset, i32 %i, "
        f"i32 %lanes, i32 %data, i32 %low, i32 %high, i32 {WIDTHS[width]})"
    )
    return _define(name, head, t, slow)


def _define(name: str, head: str, t: Text, slow: str) -> str:
    body = [*t.lines, "slow:", f"  {slow}", "  ret void"]
    return "\n".join([f"define void @{name}({head}) {{", "entry:", *body, "}"])


def _event(t: Text) -> str:
    """Address of the next event."""
    count = t.context(layout.X_EVENT_COUNT)
    place = t.let(f"mul i64 {count}, {EVENT_BYTES}")
    return t.let(f"getelementptr i8, ptr {t.pointer(layout.X_EVENTS)}, i64 {place}")


def _event_part(t: Text, event: str, vector: int) -> str:
    return t.let(f"getelementptr i8, ptr {event}, i64 {_EVENT_ROW + 32 * vector}")


def _known_buffer(t: Text, width: int) -> tuple[str, str]:
    """First byte and last start of the buffer this instruction touched before, as vectors."""
    last = t.pointer(layout.X_LAST_BUFFER)
    place = t.let(f"getelementptr i32, ptr {last}, i32 %i")
    index = t.let(f"zext i32 {t.let(f'load i32, ptr {place}')} to i64")
    spans = t.pointer(layout.X_BUFFERS)
    span = t.let(f"getelementptr [2 x i64], ptr {spans}, i64 {index}")
    first = t.let(f"load i64, ptr {span}")
    end = t.let(f"load i64, ptr {t.let(f'getelementptr i64, ptr {span}, i64 1')}")
    return t.splat(first, "i64"), t.splat(t.let(f"sub i64 {end}, {width}"), "i64")


def _leave_if_wrong(t: Text, wrong: list[str]) -> None:
    total = wrong[0]
    for other in wrong[1:]:
        total = t.let(f"or {V} {total}, {other}")
    any_ = t.let(f"call i32 @llvm.vector.reduce.or.v8i32({V} {total})")
    t.do(f"%bad = icmp ne i32 {any_}, 0", "br i1 %bad, label %slow, label %good", "good:")


def _commit(t: Text, event: str, space: int) -> None:
    """Write the event's head and count it."""
    warp = t.let(f"load i32, ptr {t.let(f'getelementptr i32, ptr %w, i64 {layout.WARP}')}")
    block = t.let(f"load i32, ptr {t.let(f'getelementptr i32, ptr %w, i64 {layout.BLOCK}')}")
    packed = t.let(f"or i32 {t.let(f'shl i32 {warp}, 16')}, {space}")
    for n, value in enumerate(("%i", "%lanes", packed, block)):
        t.do(f"store i32 {value}, ptr {t.let(f'getelementptr i32, ptr {event}, i64 {n}')}")
    place = t.let(f"getelementptr i64, ptr %x, i64 {layout.X_EVENT_COUNT}")
    t.do(f"store i64 {t.let(f'add i64 {t.context(layout.X_EVENT_COUNT)}, 1')}, ptr {place}")


def _move(t: Text, memory: str, addresses: list[str], event: str, width: int, store: bool) -> None:
    """Move the data: lanes in step go as whole vectors where they lie one after the other."""
    rows = t.row("%data")
    if width == 4:
        _consecutive(t, memory, addresses, rows, store)
    if store:
        _scatter(t, memory, rows, event, width)
        return
    for word in range(width // 4):
        for n in VECTORS:
            place = t.let(f"getelementptr i8, ptr {memory}, {W} {addresses[n]}")
            place = t.let(f"getelementptr i8, {P} {place}, i64 {4 * word}")
            call = f"call {V} @llvm.masked.gather.v8i32.v8p0({P} {place}, i32 4, "
            value = t.let(f"{call}<8 x i1> splat (i1 true), {V} poison)")
            t.do(f"store {V} {value}, ptr {t.part(rows, n, word)}, align 32")
    t.do("ret void")


def _consecutive(t: Text, memory: str, addresses: list[str], rows: str, store: bool) -> None:
    """The path for 32 words in a row."""
    first = t.let(f"extractelement {W} {addresses[0]}, i64 0")
    base = t.splat(first, "i64")
    apart = None
    for n in VECTORS:
        steps = ", ".join(f"i64 {4 * (8 * n + lane)}" for lane in range(8))
        wanted = t.let(f"add {W} {base}, <{steps}>")
        gap = t.let(f"xor {W} {wanted}, {addresses[n]}")
        apart = gap if apart is None else t.let(f"or {W} {apart}, {gap}")
    narrow = t.let(f"trunc {W} {apart} to {V}")
    any_ = t.let(f"call i32 @llvm.vector.reduce.or.v8i32({V} {narrow})")
    t.do(f"%inrow = icmp eq i32 {any_}, 0", "br i1 %inrow, label %straight, label %each")
    t.do("straight:")
    place = t.let(f"getelementptr i8, ptr {memory}, i64 {first}")
    for n in VECTORS:
        there, here = t.let(f"getelementptr i8, ptr {place}, i64 {32 * n}"), t.part(rows, n)
        if store:
            t.do(f"store {V} {t.let(f'load {V}, ptr {here}, align 32')}, ptr {there}, align 4")
        else:
            t.do(f"store {V} {t.let(f'load {V}, ptr {there}, align 4')}, ptr {here}, align 32")
    t.do("ret void", "each:")


def _scatter(t: Text, memory: str, rows: str, event: str, width: int) -> None:
    """Lane after lane, so that the highest lane wins where lanes share an address."""
    t.do("br label %lane", "lane:", "%n = phi i64 [0, %PREVIOUS], [%next, %lane]")
    t.lines[-1] = t.lines[-1].replace("PREVIOUS", "each" if width == 4 else "good")
    at = t.let(f"getelementptr i8, ptr {event}, i64 {_EVENT_ROW}")
    short = t.let(f"load i32, ptr {t.let(f'getelementptr i32, ptr {at}, i64 %n')}")
    place = t.let(f"getelementptr i8, ptr {memory}, i64 {t.let(f'zext i32 {short} to i64')}")
    for word in range(width // 4):
        here = t.let(f"getelementptr i32, ptr {t.part(rows, 0, word)}, i64 %n")
        value = t.let(f"load i32, ptr {here}")
        there = t.let(f"getelementptr i8, ptr {place}, i64 {4 * word}")
        t.do(f"store i32 {value}, ptr {there}, align 4")
    t.do(
        "%next = add i64 %n, 1",
        f"%more = icmp ult i64 %next, {layout.LANES}",
        "br i1 %more, label %lane, label %done",
        "done:",
        "ret void",
    )
