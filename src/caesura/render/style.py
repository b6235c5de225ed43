"""The colours of pictures and pages, for light and dark surroundings.

Pictures take their ink from what surrounds them (`currentColor`) unless they stand alone.
"""

from __future__ import annotations

from typing import Final

#: Rules for trees; every selector is tied to `.caesura`, since a notebook is one page.
PICTURE: Final = """
.caesura{--c-line:#7a828c;--c-label:#2f6f9f;--c-tag:#6b7280;--c-root:#a14f1a;--c-diff:#b42318;
--c-diff-fill:#fde3df;--c-t0:#f4b183;--c-t1:#f8cba6;--c-t2:#fbe0c6;--c-t3:#fdf0e2;max-width:100%;
height:auto}
@media (prefers-color-scheme:dark){.caesura{--c-line:#8b949e;--c-label:#79b8e8;--c-tag:#9aa4af;
--c-root:#e39a63;--c-diff:#ff8a7a;--c-diff-fill:#59221c;--c-t0:#8a4b1c;--c-t1:#6b3d1b;--c-t2:#4e301b;
--c-t3:#38261a}}
.caesura text{font-family:system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;
text-anchor:middle;fill:currentColor}
.caesura .form{font-size:15px}.caesura .tag{font-size:10.5px;fill:var(--c-tag)}
.caesura .surface{font-size:11.5px;font-style:italic;fill:var(--c-tag)}
.caesura .label{font-size:11px;fill:var(--c-label)}
.caesura .line{fill:none;stroke:var(--c-line);stroke-width:1.2}
.caesura .tip{fill:var(--c-line);stroke:none}
.caesura .root .line{stroke:var(--c-root)}.caesura .root .tip{fill:var(--c-root)}
.caesura .root .label{fill:var(--c-root)}.caesura .unknown .line{stroke-dasharray:3 3}
.caesura .differs .line{stroke:var(--c-diff);stroke-width:1.8}.caesura .differs .tip,
.caesura .differs .label,.caesura .tag.differs{fill:var(--c-diff)}
.caesura .gone .form{fill:var(--c-diff);text-decoration:underline}
.caesura .tint{stroke:none}.caesura .t0{fill:var(--c-t0)}.caesura .t1{fill:var(--c-t1)}
.caesura .t2{fill:var(--c-t2)}.caesura .t3{fill:var(--c-t3)}
""".replace("\n", "")

#: For pictures in which a pattern has found something: its words, and the arcs between them.
FOUND: Final = """
.caesura{--c-hit:#ffe08a;--c-hit-line:#9a6700}
@media (prefers-color-scheme:dark){.caesura{--c-hit:#5c4813;--c-hit-line:#e3b341}}
.caesura .hit{fill:var(--c-hit);stroke:var(--c-hit-line);stroke-width:1}
.caesura .arc.found .line{stroke:var(--c-hit-line);stroke-width:2}
.caesura .arc.found .tip,.caesura .arc.found .label{fill:var(--c-hit-line)}
""".replace("\n", "")

#: For a picture that is a file of its own: ink on whatever paper the viewer has.
PICTURE_ALONE: Final = (
    ".caesura{color:#1c1e21}@media (prefers-color-scheme:dark){.caesura{color:#e4e6ea}}"
)

PAGE: Final = """
:root{color-scheme:light dark;--ink:#1c1e21;--paper:#fff;--soft:#66707a;--rule:#d8dce1;
--card:#f6f7f9;--mark:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--paper:#15171a;--soft:#9aa1aa;
--rule:#363b42;--card:#1d2024;--mark:#ff8a7a}}
body{font:16px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);
background:var(--paper);max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}p.note{color:var(--soft)}
section.text{line-height:2;white-space:pre-wrap}
.s{border-bottom:2px solid var(--rule);padding-bottom:2px}.s a{color:inherit;text-decoration:none}
.b{color:var(--soft);font-weight:600;padding:0 .15em}.b.only{color:var(--mark)}
.k0{background:var(--c-t0)}.k1{background:var(--c-t1)}.k2{background:var(--c-t2)}
.k3{background:var(--c-t3)}.k0,.k1,.k2,.k3{border-radius:3px}
.d{text-decoration:underline 2px var(--mark)}
article{border-top:1px solid var(--rule);padding:.6rem 0;overflow-x:auto}
article h3{font-size:.85rem;font-weight:600;color:var(--soft);margin:.2rem 0}
article p{margin:.2rem 0 .6rem}.side{color:var(--soft);font-size:.85rem;margin:.5rem 0 0}
.key span{padding:0 .5em;margin-right:.4em}
""".replace("\n", "")
