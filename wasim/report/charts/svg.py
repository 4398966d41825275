"""Figures as SVG: a file that stands alone, or markup for a page, whose colours follow the page."""

import io
import re
from html import escape

from matplotlib.figure import Figure

from wasim.report.charts.chart import PAPER_ID, TITLE_ID
from wasim.report.charts.palette import CSS_NAMES, DARK

_NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}  # nothing that differs from run to run


def figure_svg(figure: Figure) -> str:
    """A whole SVG document, the same text for the same figure."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata=_NO_METADATA)
    return _styled_once(_rounded(text.getvalue()))


def _rounded(svg: str) -> str:
    """The document with coordinates to a hundredth of a point."""
    coordinates = re.compile(r' (?:d|x|y)="[^"]*"')
    return coordinates.sub(lambda one: re.sub(r"\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", one[0]), svg)


def _styled_once(svg: str) -> str:
    """The document with consecutive markers of one style grouped under it."""
    alike = re.compile(r'\s*<use [^>]*? style="([^"]*)"/>(?:\s*<use [^>]*? style="\1"/>)+')

    def shared(markers: re.Match[str]) -> str:
        own = f' style="{markers[1]}"'
        return f"\n<g{own}>{markers[0].replace(own, '')}\n</g>"

    return alike.sub(shared, svg)


def without_title(svg: str, title_pt: float) -> str:
    """The document without its title and the height that it took, for a page whose heading says it."""
    svg = _without_group(svg, TITLE_ID)
    return re.sub(
        r'viewBox="0 0 (\S+) (\S+)"', lambda box: f'viewBox="0 {title_pt:g} {box[1]} {float(box[2]) - title_pt:g}"', svg
    )


def _without_group(svg: str, group: str) -> str:
    return re.sub(rf'\s*<g id="{group}">.*?</g>', "", svg, count=1, flags=re.DOTALL)


def inline_svg(svg: str, *, name: str, description: str) -> str:
    """The document as markup for a page: transparent, colours as custom properties, unique ids, described in words.

    The result is trusted markup: matplotlib escapes every text that it writes.
    """
    svg = _without_group(svg[svg.index("<svg") :], PAPER_ID)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:\w+)?="[^"]*"', "", svg)  # HTML knows; without them the page holds no address at all
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = _own_ids(svg, name)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    for colour, css in CSS_NAMES.items():
        svg = svg.replace(colour, f"var(--{css})")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{escape(description, quote=True)}" ', 1)


def standing_svg(svg: str, *, name: str, description: str) -> str:
    """The document with colours that follow what its reader prefers, light or dark."""
    light = ";".join(f"--{css}:{colour}" for colour, css in CSS_NAMES.items())
    dark = ";".join(f"--{css}:{colour}" for css, colour in DARK.items())
    style = f"<style>svg{{{light};background:var(--paper)}}@media(prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"
    svg = inline_svg(svg, name=name, description=description)
    start = svg.index("<svg ") + len("<svg ")
    body = svg.index(">", start) + 1
    attributes = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    return f"{svg[:start]}{attributes}{svg[start:body]}{style}{svg[body:]}"


def _own_ids(svg: str, name: str) -> str:
    """Ids that something refers to, made the chart's own; the others, which only name parts, go."""
    referred = {one or other for one, other in re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)}
    svg = re.sub(r' id="([^"]*)"', lambda match: f' id="{name}-{match[1]}"' if match[1] in referred else "", svg)
    return svg.replace("url(#", f"url(#{name}-").replace('href="#', f'href="#{name}-')
