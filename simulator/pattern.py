"""Address expressions over the lane number: ``(lane%16)*8``.

The text is an integer expression over ``lane`` (0..31) with

- ``+ - *``, ``/`` and ``//`` and ``%``, ``**``, ``<< >> & | ^ ~``;
- comparisons, ``and or not`` and ``a if condition else b`` (a true condition is 1);
- ``min(...)``, ``max(...)``, ``abs(x)``; numbers in decimal, ``0x`` or ``0b``.

Division is that of CUDA C++ for both signs ``/`` and ``//``: towards zero, and ``%`` takes the
sign of the dividend. Everything else, precedence included, is Python's. The text is parsed and
walked, never handed to an interpreter, and no intermediate may leave 64 bits.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from simulator.errors import PatternError
from simulator.events import FULL_MASK, LANES

MAX_TEXT = 300
MAX_BITS = 63
MAX_OFFSET = 2**32 - 1
WIDTHS = (1, 2, 4, 8, 16)


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return left - right * _divide(left, right)


_BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: _divide,
    ast.FloorDiv: _divide,
    ast.Mod: _remainder,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[int], int]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: lambda value: int(not value),
}
_COMPARE: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_FUNCTIONS: dict[str, Callable[..., int]] = {"min": min, "max": max, "abs": abs}


def _error(text: str, start: int, end: int, message: str) -> PatternError:
    """An error that shows the text with a row of carets under the part it is about."""
    carets = " " * start + "^" * max(1, end - start)
    return PatternError(f"address pattern: {message}\n  {text}\n  {carets}")


@dataclass(frozen=True, slots=True)
class Pattern:
    """A parsed address expression."""

    text: str
    tree: ast.expr

    def values(self) -> tuple[int, ...]:
        """The value at each of the 32 lanes.

        Raises:
            PatternError: a division by zero or a number beyond 64 bits; names the lane.
        """
        return tuple(self.value(lane) for lane in range(LANES))

    def value(self, lane: int) -> int:
        """The value at one lane; raises as :meth:`values` does."""
        return _Walk(self.text, lane).value(self.tree)

    def offsets(
        self, width_bytes: int, unit: str = "bytes", lane_mask: int = FULL_MASK
    ) -> tuple[int, ...]:
        """Byte offset of each lane's access of ``width_bytes`` (1, 2, 4, 8 or 16).

        Lanes outside ``lane_mask`` access nothing: their offset is 0.

        ``unit`` says what the expression counts: ``bytes``, or ``elements`` of ``width_bytes``
        as an array index does.

        Raises:
            PatternError: an offset is negative, beyond 32 bits or not a multiple of the width,
                which a GPU refuses; names the lane.
        """
        if width_bytes not in WIDTHS:
            raise PatternError(f"width {width_bytes} is not 1, 2, 4, 8 or 16 bytes a lane")
        if unit not in ("bytes", "elements"):
            raise PatternError(f"unknown unit {unit!r}; use bytes or elements")
        scale = width_bytes if unit == "elements" else 1
        offsets = [0] * LANES
        for lane in range(LANES):
            if lane_mask >> lane & 1:
                offsets[lane] = self.value(lane) * scale
                self._check(lane, offsets[lane], width_bytes)
        return tuple(offsets)

    def _check(self, lane: int, offset: int, width_bytes: int) -> None:
        problem = ""
        if offset < 0:
            problem = "is negative"
        elif offset > MAX_OFFSET:
            problem = "is beyond 32 bits"
        elif offset % width_bytes:
            problem = (
                f"is not a multiple of the width of {width_bytes} bytes, and a GPU refuses "
                "misaligned accesses; if the expression is an array index, use --unit elements"
            )
        if problem:
            end = len(self.text)
            raise _error(self.text, 0, end, f"byte offset {offset} of lane {lane} {problem}")


@dataclass(frozen=True, slots=True)
class _Walk:
    """Evaluates a checked tree for one lane."""

    text: str
    lane: int

    def value(self, node: ast.expr) -> int:
        result = self._value(node)
        if abs(result).bit_length() > MAX_BITS:
            raise self._error(node, "does not fit in 64 bits")
        return result

    def _value(self, node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(number)):
                return number
            case ast.Name():
                return self.lane
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self.value(operand))
            case ast.BinOp():
                return self._binary(node)
            case ast.Compare():
                return self._compare(node)
            case ast.BoolOp(op=op, values=values):
                results = (bool(self.value(value)) for value in values)
                return int(all(results) if isinstance(op, ast.And) else any(results))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(body if self.value(test) else orelse)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return _FUNCTIONS[name](*(self.value(argument) for argument in arguments))
        raise AssertionError(f"unchecked node {node!r}")  # _check_node admits nothing else

    def _binary(self, node: ast.BinOp) -> int:
        left, right = self.value(node.left), self.value(node.right)
        match node.op:
            case ast.Div() | ast.FloorDiv() | ast.Mod() if right == 0:
                raise self._error(node.right, "is zero, so the division has no result")
            case ast.LShift() | ast.RShift() | ast.Pow() if not 0 <= right <= MAX_BITS:
                raise self._error(node.right, f"is {right}, not between 0 and {MAX_BITS}")
            case ast.Pow() if abs(left).bit_length() * right > 2 * MAX_BITS:
                raise self._error(node, "does not fit in 64 bits")
        return _BINARY[type(node.op)](left, right)

    def _compare(self, node: ast.Compare) -> int:
        left = self.value(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(comparator)
            if not _COMPARE[type(op)](left, right):
                return 0
            left = right
        return 1

    def _error(self, node: ast.expr, message: str) -> PatternError:
        end = node.end_col_offset or node.col_offset + 1
        return _error(self.text, node.col_offset, end, f"at lane {self.lane} this {message}")


def _refusal(node: ast.expr) -> str | None:
    """Why this node cannot be part of a pattern, or None."""
    match node:
        case ast.Constant(value=value):
            plain = isinstance(value, int) and not isinstance(value, bool)
            return None if plain else f"{value!r} is not an integer"
        case ast.Name(id=name):
            return None if name == "lane" else f"unknown name {name!r}; the only one is lane"
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS:
            if node.keywords or any(isinstance(item, ast.Starred) for item in node.args):
                return f"{name} takes plain values only"
            expected = len(node.args) == 1 if name == "abs" else len(node.args) >= 2
            need = "one value" if name == "abs" else "two values or more"
            return None if expected else f"{name} takes {need}"
        case ast.Call():
            return "only min, max and abs can be called"
        case ast.BinOp(op=op):
            return None if type(op) in _BINARY else "unknown operator"
        case ast.Compare(ops=ops):
            return None if all(type(op) in _COMPARE for op in ops) else "unknown comparison"
        case ast.UnaryOp() | ast.BoolOp() | ast.IfExp():
            return None
    return "this is not part of an integer expression"


def _check_node(text: str, node: ast.expr) -> None:
    refusal = _refusal(node)
    if refusal:
        raise _error(text, node.col_offset, node.end_col_offset or node.col_offset + 1, refusal)
    called = node.func if isinstance(node, ast.Call) else None
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr) and child is not called:
            _check_node(text, child)


def _syntax_error(text: str, error: SyntaxError) -> PatternError:
    hint = "cannot be read as an integer expression"
    if "?" in text or "&&" in text or "||" in text:
        hint += "; write 'a if condition else b', 'and', 'or' for the C++ forms"
    start = min(max((error.offset or 1) - 1, 0), len(text))
    return _error(text, start, start + 1, hint)


def parse_pattern(text: str) -> Pattern:
    """Parse an address expression over ``lane``.

    Raises:
        PatternError: it is empty, too long, or not an expression of the kind the module
            describes; shows the part at fault.
    """
    plain = " ".join(text.split())
    if not plain:
        raise PatternError("address pattern: it is empty; give for example '(lane%16)*8'")
    if len(plain) > MAX_TEXT:
        raise PatternError(f"address pattern: longer than {MAX_TEXT} characters; shorten it")
    for position, letter in enumerate(plain):
        if not letter.isascii() or not letter.isprintable():
            raise _error(plain, position, position + 1, f"character {letter!r} is not allowed")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about texts such as "1if lane else 2"
            tree = ast.parse(plain, mode="eval").body
    except SyntaxError as error:
        raise _syntax_error(plain, error) from None
    except (ValueError, MemoryError, RecursionError):
        raise PatternError("address pattern: nested too deeply; simplify it") from None
    _check_node(plain, tree)
    return Pattern(plain, tree)


def parse_lane_mask(text: str) -> int:
    """The active lanes from ``0xFFFF``, ``0b11`` or a decimal number; bit i is lane i.

    Raises:
        PatternError: no number, or not between 1 and 0xFFFFFFFF.
    """
    try:
        mask = int(text, 0)
    except ValueError:
        raise PatternError(f"lane mask {text!r} is no number; give for example 0xFFFF") from None
    if not 0 < mask < 2**LANES:
        raise PatternError(f"lane mask {text!r} must be between 0x1 and 0xFFFFFFFF")
    return mask
