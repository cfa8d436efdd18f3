"""The search for the shortest target on which some sides decide in a certain way.

1. All sides are followed together, byte by byte, in order of length: so the first target that is found is a shortest
   one, and if none is found, there is none.
2. A state is what remains of all patterns and the decision of each side so far. States with equal remains are explored
   once. As long as a target agrees with the literal heads of patterns, there is only one such target.
3. A pattern that can no longer decide is dropped. A state is dropped if no continuation can have a wanted result: each
   side has only decisions whose patterns remain, and two sides that share all of their remaining patterns decide alike.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from canfetch.compare.domains import DEAD, READABLE_FIRST, Domain
from canfetch.compare.forms import ENCODED, QUERY_MARK, Form
from canfetch.compare.limits import Budget
from canfetch.compare.patterns import Pattern, Side
from canfetch.compare.sides import Decisions, SideTable, Standing
from canfetch.compare.tracks import SegmentTable, Track


class _State(NamedTuple):
    """A state, the one before it, and the byte between them."""

    tracks: tuple[Track, ...]
    standing: Standing
    place: int
    in_query: bool
    previous: "_State | None"
    byte: int

    def target(self) -> bytes:
        found = bytearray()
        state = self
        while state.previous is not None:
            found.append(state.byte)
            state = state.previous
        found.reverse()
        return bytes(found)


class Search:
    """The patterns of some sides, ready to be searched.

    Args:
        sides: The sides.
        patterns: Their ranks and patterns, in order of precedence.
        budget: The work that is left.
    """

    __slots__ = ("_budget", "_forms", "_patterns", "_segments", "_sides")

    def __init__(
        self, sides: Sequence[Side], patterns: Sequence[tuple[tuple[int, ...], Pattern]], budget: Budget
    ) -> None:
        self._budget = budget
        budget.spend(len(patterns))
        self._patterns = [pattern for _, pattern in patterns]
        self._sides = SideTable(sides, patterns)
        self._segments = SegmentTable(self._patterns, budget)
        # The target itself comes first, because its heads remain for one target only.
        self._forms = sorted({Form.AS_IS, *(pattern.form for pattern in self._patterns)})

    def targets(self, domain: Domain, wanted: Iterable[Decisions], most: int) -> list[bytes]:
        """Return up to `most` shortest targets with wanted decisions. Without any, no target has them.

        Raises:
            Undecided: The budget is exhausted.
            NoOrdinaryByte: The search needs a complete domain.
        """
        self._sides.want(wanted)
        return list(islice(self._targets(domain), most))

    def _targets(self, domain: Domain) -> Iterator[bytes]:
        queue = deque(self._start())
        visited: set[object] = set()
        budget = self._budget
        while queue:
            state = queue.popleft()
            budget.count_states(1)
            by_byte = [self._heads_by_byte(track) for track in state.tracks]
            for byte, place in self._bytes(state, domain, by_byte):
                following, decisions = self._next(state, byte, place, by_byte)
                if self._sides.is_wanted(decisions) and domain.accepting[place]:
                    yield following.target()
                if self._sides.is_useful(following.tracks, following.standing) and self._is_new(following, visited):
                    queue.append(following)

    def _start(self) -> Iterator[_State]:
        tracks: list[Track] = []
        matched: list[int] = []
        for form in self._forms:
            texts = [index for index, pattern in enumerate(self._patterns) if pattern.form is form]
            heads = [index for index in texts if self._patterns[index].head]
            waiting = [self._segments.first_segments[index] for index in texts if not self._patterns[index].head]
            # A pattern without any bytes matches everything, unless only the empty target, which no URL has.
            matched += [
                index
                for index in texts
                if self._segments.first_segments[index] < 0
                and not self._patterns[index].head
                and not self._patterns[index].anchored
            ]
            tracks.append(Track(heads, 0, self._segments.wait(number for number in waiting if number >= 0), ()))
        standing = self._sides.after_matches(self._sides.start, matched)
        state = self._settled(tuple(tracks), standing, 0, in_query=False, previous=None, byte=0)
        if self._sides.is_useful(state.tracks, state.standing):
            yield state

    def _heads_by_byte(self, track: Track) -> dict[int, list[int]]:
        """Return the heads that go on with each byte."""
        found: dict[int, list[int]] = {}
        patterns, depth = self._patterns, track.depth
        for index in track.heads:
            found.setdefault(patterns[index].head[depth], []).append(index)
        self._budget.spend(len(track.heads))
        return found

    def _bytes(self, state: _State, domain: Domain, by_byte: list[dict[int, list[int]]]) -> Iterator[tuple[int, int]]:
        """Yield the bytes to try, and the place of each in the domain."""
        expected: set[int] = set()
        row = domain.table[state.place]
        for form, track, heads in zip(self._forms, state.tracks, by_byte, strict=True):
            expected |= self._segments.expected(track.waiting, track.progress)
            expected.update(heads)
            if form is not Form.AS_IS and not track.is_empty:
                expected.update(byte for byte in ENCODED[form][state.in_query] if row[byte] != DEAD)
                expected.add(QUERY_MARK)
        for byte in sorted({*expected, *domain.unexpected(state.place, expected)}, key=READABLE_FIRST.__getitem__):
            if row[byte] != DEAD:
                yield byte, row[byte]

    def _next(
        self, state: _State, byte: int, place: int, by_byte: list[dict[int, list[int]]]
    ) -> tuple[_State, Decisions]:
        """Return the state after one more byte, and the decisions about the target that ends there."""
        tracks: list[Track] = []
        matched: list[int] = []
        at_end: list[int] = []
        for form, track, heads in zip(self._forms, state.tracks, by_byte, strict=True):
            first, *pieces = ENCODED[form][state.in_query].get(byte, (byte,))
            ends: list[int] = []
            following = self._advance(track, first, heads.get(first, ()), matched, ends)
            for piece in pieces:
                # What matches in between still matches, but no target ends there.
                ends.clear()
                heads_of_piece = self._heads_by_byte(following).get(piece, ())
                following = self._advance(following, piece, heads_of_piece, matched, ends)
            tracks.append(following)
            at_end += ends
        standing = self._sides.after_matches(state.standing, matched)
        decisions = self._sides.decisions(standing, at_end)
        in_query = state.in_query or byte == QUERY_MARK
        return self._settled(tuple(tracks), standing, place, in_query=in_query, previous=state, byte=byte), decisions

    def _advance(self, track: Track, byte: int, heads: Sequence[int], matched: list[int], at_end: list[int]) -> Track:
        """Return what remains of a track after one more byte. `heads` are those that go on with the byte."""
        _, depth, waiting, progress = track
        if waiting.segments:
            step = self._segments.step(waiting, progress, byte)
            waiting, progress = step.waiting, step.progress
            matched += step.matched
            at_end += step.at_end
        if not heads:
            return Track((), 0, waiting, progress)
        going_on: list[int] = []
        begun: list[int] = []
        following = depth + 1
        for index in heads:
            pattern = self._patterns[index]
            if len(pattern.head) > following:
                going_on.append(index)
                continue
            first = self._segments.first_segments[index]
            if first >= 0:
                begun.append(first)
            elif pattern.anchored:
                at_end.append(index)
            else:
                matched.append(index)
        if begun:
            waiting = self._segments.wait([*waiting.segments, *begun])
        return Track(going_on, following, waiting, progress)

    def _settled(
        self,
        tracks: tuple[Track, ...],
        standing: Standing,
        place: int,
        *,
        in_query: bool,
        previous: _State | None,
        byte: int,
    ) -> _State:
        """Return a state without the patterns that can no longer decide."""
        standing = self._sides.with_lowest_limits(tracks, standing)
        tracks = tuple([self._filtered(track, standing.limits) for track in tracks])
        return _State(tracks, standing, place, in_query, previous, byte)

    def _filtered(self, track: Track, limits: tuple[int, ...]) -> Track:
        """Return a track without the patterns that matter to no side."""
        heads, depth, waiting, progress = track
        heads = [index for index in heads if self._sides.matters(index, limits)] if heads else heads
        if waiting.segments:
            kept = waiting.filtered.get(limits)
            if kept is None:
                kept = waiting.filtered[limits] = self._segments.wait(
                    number for number in waiting.segments if self._sides.matters(self._segments.text_of(number), limits)
                )
            if kept is not waiting:
                waiting = kept
                remaining = frozenset(waiting.segments)
                progress = tuple([one for one in progress if one[0] in remaining])
        return Track(heads, depth if heads else 0, waiting, progress)

    def _is_new(self, state: _State, visited: set[object]) -> bool:
        # Heads that are compared with form (a) remain for one target only.
        if state.tracks[0].heads:
            return True
        key: tuple[object, ...] = state.tracks[0][2:], state.standing, state.place
        for track in state.tracks[1:]:
            key = *key, None if track.is_empty else (tuple(track.heads), *track[1:], state.in_query)
        if key in visited:
            return False
        visited.add(key)
        return True
