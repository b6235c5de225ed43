"""The list of jobs: what is run, the most telling first, and what each waits for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["JOBS", "Job"]

UPDATES = ("dlaso", "laso", "greedy", "max-violation", "early")
STEPS = ("perceptron", "pa")
#: By regime: sentences of an instance, and epochs. Sixty documents are as many instances of whole
#: documents, and ten times as many chunks.
REGIMES = {"whole": (0, 30), "chunks": (10, 15)}
#: Epochs of whole documents until nothing changes any more, of the updates that matter.
LONG = 100
TREEBANKS = (
    "CDT-Danish",
    "UD_Swedish-LinES",
    "UD_Swedish-Talbanken",
    "UD_Slovenian-SST",
    "CoNLL2007-Basque",
    "UD_Dutch-LassySmall",
    "UD_English-EWT",
)
#: Those of the figures of branching; the paper's are of Dutch and English.
DRAWN = ("CDT-Danish", "UD_Dutch-LassySmall")
#: Treebanks of speech, or like it, of the tables; EWT-speech is run before.
SPOKEN = (
    "GUM-speech",
    "WSJ-sample-speech",
    "UD_French-ParisStories",
    "UD_Norwegian-NynorskLIA",
    "UD_Slovenian-SST",
)
#: Text with punctuation, on which it matters who sees paragraph breaks.
WRITTEN = ("WSJ-sample", "UD_English-EWT", "UD_English-GUM")


@dataclass(frozen=True)
class Job:
    """A run with a name, by which it is asked for and its file is called."""

    name: str
    kind: str
    settings: dict[str, Any] = field(default_factory=dict)
    #: Jobs whose files in the cache this one reads.
    needs: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        return self.name.replace("/", "-") + ".json"


def _curve(
    name: str, treebank: str, regime: str, update: str, step: str, seed: int = 1, **more: Any
) -> Job:
    chunk, epochs = REGIMES[regime]
    settings = {"treebank": treebank, "chunk": chunk, "epochs": epochs, "update": update}
    settings |= {"step": step, "seed": seed} | more
    return Job(name, "curve", settings, (f"tags/{treebank}",))


def _figure4() -> list[Job]:
    gum = {"limit": 60}
    ewt = {"limit": 160}
    # As many batches of whole documents as there are of GUM-speech.
    short = {"chunks": ewt, "whole": ewt | {"epochs": 10}}
    jobs = [
        _curve(f"figure4/GUM-speech/{regime}/{u}/{s}/1", "GUM-speech", regime, u, s, **gum)
        for s in STEPS
        for regime in REGIMES
        for u in UPDATES
    ]
    for u in UPDATES[:3]:
        name = f"figure4/GUM-speech/long/{u}/perceptron/1"
        jobs.append(_curve(name, "GUM-speech", "whole", u, "perceptron", **gum, epochs=LONG))
    for regime in ("chunks", "whole"):
        for seed in (1, 2, 3):
            for u in UPDATES[:3]:
                if seed > 1:
                    name = f"figure4/GUM-speech/{regime}/{u}/perceptron/{seed}"
                    jobs.append(_curve(name, "GUM-speech", regime, u, "perceptron", seed, **gum))
                name = f"figure4/EWT-speech/{regime}/{u}/perceptron/{seed}"
                own = short[regime]
                jobs.append(_curve(name, "EWT-speech", regime, u, "perceptron", seed, **own))
    return jobs


def _figure6() -> list[Job]:
    return [
        _curve(
            f"figure6/{treebank}/nosyntax/{seed}",
            treebank,
            "chunks",
            "laso",
            "perceptron",
            seed,
            system="nosyntax",
            limit=60 if treebank == "GUM-speech" else 160,
        )
        for treebank in ("GUM-speech", "EWT-speech")
        for seed in (1, 2, 3)
    ]


def _figure3() -> list[Job]:
    """Sentences; what is used of documents is in figure 4."""
    return [
        _curve(
            f"figure3/GUM-speech/sentences/{u}",
            "GUM-speech",
            "chunks",
            u,
            "perceptron",
            system="gold",
            limit=60,
            epochs=10,
        )
        for u in ("early", "max-violation")
    ]


def _figure5() -> list[Job]:
    return [
        _curve(
            f"figure5/GUM-speech/{u}/{beam}",
            "GUM-speech",
            "whole",
            u,
            "perceptron" if u == "dlaso" else "pa",
            limit=60,
            beam=beam,
            epochs=15,
        )
        for beam in (1, 4, 20)
        for u in ("dlaso", "max-violation")
    ]


def _choices() -> list[Job]:
    """What the choices of this package matter: the paper's templates, beam 20, other updates."""
    own: dict[str, dict[str, Any]] = {
        "paper-templates": {"paper_templates": True},
        "beam-20": {"beam": 20},
        "ten-folds": {"folds": 10},
        "accumulated": {"dlaso_pa": "accumulated"},
        "per-update": {"dlaso_pa": "per-update"},
        "pa-accumulated": {"dlaso_pa": "accumulated", "step": "pa"},
        "pa-in-turn-loss": {"dlaso_pa": "in-turn-loss", "step": "pa"},
    }
    return [
        _curve(
            f"choices/GUM-speech/{regime}/{name}",
            "GUM-speech",
            regime,
            "dlaso",
            str(more.get("step", "perceptron")),
            limit=60,
            **{key: value for key, value in more.items() if key != "step"},
        )
        for regime in ("chunks", "whole")
        for name, more in own.items()
        if regime == "chunks" or "dlaso_pa" in more
    ]


def _tables() -> list[Job]:
    """Tables 2 to 4."""
    jobs = []
    for treebank in (
        "EWT-speech",
        "WSJ-sample",
        "UD_English-EWT",
        "UD_English-GUM",
        *SPOKEN,
    ):
        needs = (f"tags/{treebank}",)
        systems = [f"system/{treebank}/{s}" for s in ("gold", "joint", "nosyntax", "labeller")]
        jobs += [
            Job(one, "system", {"treebank": treebank, "name": one.rsplit("/", 1)[1]}, needs)
            for one in systems
        ]
        jobs.append(Job(f"tables/{treebank}", "table", {"treebank": treebank}, (*needs, *systems)))
    return jobs


def _breaks() -> list[Job]:
    """Text with punctuation with paragraph breaks and without, on a part of the documents."""
    return [
        Job(f"breaks/{name}", "breaks", {"treebank": name, "share": share, "epochs": 4})
        for name, share in (("WSJ-sample", 2), ("UD_English-EWT", 4), ("UD_English-GUM", 8))
    ]


def _branching() -> list[Job]:
    jobs = []
    for seed in (1, 2, 3):
        for treebank in TREEBANKS:
            more: dict[str, Any] = {"treebank": treebank, "rounds": (3, 3), "seed": seed}
            more |= {"searches": "all" if seed == 1 else "table5"}
            more |= {"sentences": 5000} if treebank == "UD_English-EWT" else {}
            jobs.append(Job(f"table5/{treebank}/{seed}", "branching", more))
            if treebank == "CDT-Danish":
                own = more | {"beam": 1, "searches": "table4"}
                jobs.append(Job(f"table4/{treebank}/b1/{seed}", "branching", own))
    own = {"treebank": "UD_English-EWT", "rounds": (3, 3), "searches": "full"}
    jobs.append(Job("full/UD_English-EWT/1", "branching", own))
    for treebank in DRAWN:
        own = {"treebank": treebank, "rounds": (3, 3), "searches": "waves", "figures": True}
        jobs.append(Job(f"figures/{treebank}/1", "branching", own))
    return jobs


def _bootstrapping() -> list[Job]:
    own: dict[str, dict[str, Any]] = {
        "epoch-1": {"explore": 1},
        "folds": {"folds": 2},
        "cutoff-3": {"cutoff": 3},
        "paper": {"rounds": (5, 4, 5)},
        "templates": {"paper_templates": True},
    }
    base = {"treebank": "CDT-Danish", "rounds": (3, 3), "searches": "table5"}
    jobs = [
        Job(f"bootstrap/CDT-Danish/{name}/1", "branching", base | more)
        for name, more in own.items()
    ]
    again = ("cutoff-3", "epoch-1")
    return jobs + [
        Job(f"bootstrap/CDT-Danish/{name}/{seed}", "branching", base | own[name] | {"seed": seed})
        for name in again
        for seed in (2, 3)
    ]


def _speed() -> list[Job]:
    names = ("UD_Slovenian-SST", "CDT-Danish")
    return [Job(f"speed/{name}", "speed", {"treebank": name, "epochs": 2}) for name in names]


def _tags() -> list[Job]:
    names = (
        "GUM-speech",
        "EWT-speech",
        "WSJ-sample",
        "UD_English-EWT",
        "UD_English-GUM",
        *SPOKEN[1:],
    )
    return [Job(f"tags/{name}", "tags", {"treebank": name}) for name in names]


def _others() -> list[Job]:
    gum = {"treebank": "GUM-speech"}
    wsj = {"treebank": "WSJ-sample", "files": "mrg/*.mrg", "column": "xpos"}
    return [
        *(Job(f"labeller/{name}", "labeller", {"treebank": name}) for name in WRITTEN),
        Job("confidence/GUM-speech", "confidence", gum, ("tags/GUM-speech",)),
        Job("boundaries/WSJ-sample", "boundaries", wsj),
        Job("switchboard", "switchboard", {}, ("tags/EWT-speech", "tags/GUM-speech")),
    ]


def _all() -> list[Job]:
    """The tags first, then first seeds before others and long runs last."""
    found = [*_figure4(), *_branching(), *_figure6(), *_tables(), *_choices(), *_bootstrapping()]
    found += [*_figure5(), *_figure3(), *_speed(), *_breaks(), *_others()]
    seed = {job.name: int(job.settings.get("seed", 1)) for job in found}
    long = {job.name: int(job.settings.get("epochs", 0)) == LONG for job in found}
    return [*_tags(), *sorted(found, key=lambda job: (long[job.name], seed[job.name]))]


JOBS = {job.name: job for job in _all()}
