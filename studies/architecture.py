"""The import graphs of `tasks` and `heldout`: their numbers, and a picture of the first, in docs/architecture.md.

`python -m studies.architecture` draws docs/architecture.png and writes the tables again.
"""

import functools
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import grimp

PAGE, PICTURE = Path("docs/architecture.md"), Path("docs/architecture.png")
PACKAGES = ("tasks", "heldout")
_END = "<!-- end -->"
_WIDTH, _REACH = 0.75, 0.34  # of a room and from its middle up and down, in the picture's units


@dataclass(frozen=True)
class Graph:
    """The modules of a package, and the modules of the same package that each imports."""

    imports: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, package: str) -> "Graph":
        """The graph of an importable package: imports inside functions count too, those for types alone do not."""
        graph = grimp.build_graph(package, cache_dir=None, exclude_type_checking_imports=True)
        return cls({name: frozenset(graph.find_modules_directly_imported_by(name)) for name in graph.modules})

    def floors(self) -> dict[str, int]:
        """The length of the longest chain of imports that begins at each module. Raises ValueError for a cycle."""
        under_way: set[str] = set()

        @functools.cache
        def floor(module: str) -> int:
            if module in under_way:
                raise ValueError(f"{module} imports itself through other modules")
            under_way.add(module)
            height = 1 + max((floor(imported) for imported in self.imports[module]), default=0)
            under_way.remove(module)
            return height

        return {module: floor(module) for module in self.imports}

    def rooms(self) -> "Graph":
        """The graph between the subpackages."""
        rooms: dict[str, frozenset[str]] = {}
        for module, imported in self.imports.items():
            if room := room_of(module):
                others = {room_of(name) for name in imported} - {room, ""}
                rooms[room] = rooms.get(room, frozenset()) | others
        return Graph(rooms)

    def arrows(self) -> int:
        """The number of imports."""
        return sum(map(len, self.imports.values()))

    def needed(self) -> Iterator[tuple[str, str]]:
        """The imports between rooms, without imports that a longer chain implies: the arrows of the picture."""
        for room, imported in sorted(self.imports.items()):
            for other in sorted(imported):
                if not any(self._reaches(between, other) for between in imported - {other}):
                    yield room, other

    def _reaches(self, room: str, other: str) -> bool:
        return other in self.imports[room] or any(self._reaches(name, other) for name in self.imports[room])


def room_of(module: str) -> str:
    """The subpackage that a module lies in; empty for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def table(graph: Graph) -> str:
    """The size of a package, and its rooms from the top floor down, with the imports that no longer chain implies."""
    rooms, floors = graph.rooms(), graph.rooms().floors()
    package = next(iter(graph.imports)).partition(".")[0]
    modules = Counter(room_of(name) for name in graph.imports if name != package)
    needed = [*rooms.needed()]
    lines = [
        f"{modules.total()} modules, {graph.arrows()} imports between them, the longest chain of "
        f"{max(graph.floors().values())}; {len(rooms.imports)} entries, {rooms.arrows()} imports between them, on "
        f"{max(floors.values())} floors.",
        *("", "| room | modules | imports |", "|---|---|---|"),
    ]
    for room in sorted(rooms.imports, key=lambda name: (-floors[name], name)):
        imported = ", ".join(other for name, other in needed if name == room) or "–"
        lines.append(f"| `{room}` | {modules[room]} | {imported} |")
    return "\n".join(lines)


def page(text: str, package: str, graph: Graph) -> str:
    """The text of the page with the table of a package made again."""
    start = f"<!-- of `{package}`, made by `python -m studies.architecture` -->"
    head, _, rest = text.partition(start)
    return f"{head}{start}\n\n{table(graph)}\n\n{_END}{rest.partition(_END)[2]}"


def draw(graph: Graph, path: Path) -> None:
    """The rooms by floor with their modules; an import that a longer chain implies is not drawn."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib.figure import Figure

    rooms, floors = graph.rooms(), graph.rooms().floors()
    levels = {level: sorted(room for room in floors if floors[room] == level) for level in sorted({*floors.values()})}
    places = {
        room: (_WIDTH * (number - (len(names) - 1) / 2), float(level))
        for level, names in levels.items()
        for number, room in enumerate(names)
    }
    figure = Figure(figsize=(8.4, 0.98 * len(levels)), layout="constrained")
    axes = figure.subplots()
    for room, (x, y) in places.items():
        modules = sorted(name.split(".")[2] for name in graph.imports if room_of(name) == room and name.count(".") == 2)
        text = f"$\\bf{{{room}/}}$\n" + textwrap.fill(" · ".join(modules), 58)
        box = {"boxstyle": "round,pad=0.5", "fc": "#eef2f6", "ec": "#4c6a92", "lw": 1.1}
        axes.text(x, y, text, ha="center", va="center", fontsize=7, linespacing=1.35, bbox=box, zorder=3)
    for room, other in rooms.needed():
        (x, y), (to_x, to_y) = places[room], places[other]
        arrow = {"arrowstyle": "-|>", "color": "#2e4057", "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", xy=(to_x, to_y + _REACH), xytext=(x, y - _REACH), arrowprops=arrow)
    axes.set_xlim(-_WIDTH, _WIDTH)
    axes.set_ylim(0.5, max(levels) + 0.5)
    axes.axis("off")
    figure.savefig(path, dpi=120, metadata={"Software": None})


def main() -> None:
    """Write the picture and the tables of the page."""
    draw(Graph.read("tasks"), PICTURE)
    for package in PACKAGES:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), package, Graph.read(package)), encoding="utf-8")


if __name__ == "__main__":
    main()
