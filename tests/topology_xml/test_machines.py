#!/usr/bin/env python3
"""test_machines.py ORDO [length] - topologies from the XML of NCCL and RCCL, against links reckoned
by hand. At length the fastest algorithm is sought on every machine."""
import json
import os
import pathlib
import sys

from desk import desk_case
from tap import run_cases, wanted

PCI = 'link_speed="16.0 GT/s PCIe" link_width="16"'  # 24 GB/s
CPU = 'arch="x86_64" vendor="AuthenticAMD" familyid="23" modelid="49"'


def gpu(bus, rank, links="", kind='sm="80"', pci=PCI, name="0x030200"):
    return (f'<pci busid="{bus}" class="{name}" {pci}>'
            f'<gpu dev="{rank}" rank="{rank}" {kind} gdr="1">{links}</gpu></pci>')


def card(bus, name, speed, pci=PCI):
    return (f'<pci busid="{bus}" class="0x020700" {pci}><nic><net name="{name}" dev="0" '
            f'speed="{speed}" port="1" guid="0x1" maxconn="1" gdr="1"/></nic></pci>')


def cpu(number, *devices):
    return f'<cpu numaid="{number}" affinity="ff" {CPU}>{"".join(devices)}</cpu>'


def system(*cpus):
    return '<system version="1">\n' + "\n".join(cpus) + "\n</system>\n"


def draw(ordo, text, *words):
    """The document, links as {(from, to): (class, GB/s)}, and what was said."""
    (ordo.folder / "m.xml").write_text(text)
    done = ordo.works("import", "topology", "m.xml", "-o", "m.json", *words)
    document = json.loads((ordo.folder / "m.json").read_text())
    links = {(link["from"], link["to"]): (link.get("class", "link"), link["bandwidth_gbs"])
             for link in document["links"]}
    wanted(len(links) == len(document["links"]), document)
    return document, links, done.err


def both(a, b, name, gbs):
    return {(a, b): (name, gbs), (b, a): (name, gbs)}


@desk_case("two GPUs behind one bridge of a CPU, and NVLinks between them")
def _(ordo):
    pair = [f'<nvlink target="01:0{other}" count="4" tclass="0x030200"/>' for other in (1, 0)]
    bridge = (f'<pci busid="01:09" class="0x060400" {PCI}>' + gpu("01:00", 0, pair[0]) +
              gpu("01:01", 1, pair[1]) + "</pci>")
    document, links, said = draw(ordo, system(cpu(0, bridge)))
    wanted(document["ranks"] == 2 and document["switches"] == 2 and not said, document, said)
    wanted(links == {**both(0, 1, "NVLink", 80), **both(0, 3, "PCI", 24), **both(1, 3, "PCI", 24),
                     **both(2, 3, "PCI", 24)}, links)


@desk_case("ranks are those of the file; a bridge with one device is part of its link")
def _(ordo):
    slow = '<pci busid="01:09" class="0x060400" link_speed="8 GT/s" link_width="8">'
    text = system(cpu(0, slow + gpu("01:00", 1) + "</pci>", gpu("02:00", 0)))
    document, links, said = draw(ordo, text)
    wanted(links == {**both(1, 2, "PCI", 6), **both(0, 2, "PCI", 24)}, links)
    wanted("no NVLink and no xGMI" in said, said)


@desk_case("NVSwitches are one switch; two CPUs are joined, and that is said to be assumed")
def _(ordo):
    link = '<nvlink target="fffffff:ffff:ff" count="18" tclass="0x068000"/>'
    text = system(*(cpu(at, gpu(f"0{at + 1}:00", at, link, 'sm="90"')) for at in (0, 1)))
    document, links, said = draw(ordo, text)
    rate = 18 * 20.6
    wanted(links == {**both(0, 4, "NVLink", rate), **both(1, 4, "NVLink", rate),
                     **both(0, 2, "PCI", 24), **both(1, 3, "PCI", 24), **both(2, 3, "SMP", 16)},
           links)
    wanted("between every two CPUs 16 GB/s are assumed" in said, said)
    for sm, count, digits in ((90, 12, "247.2"), (100, 18, "721.8")):
        other = text.replace('count="18"', f'count="{count}"').replace('"90"', f'"{sm}"')
        wanted(draw(ordo, other)[1][0, 4] == ("NVLink", float(digits)), sm, digits)


@desk_case("links to several NVSwitches or twice to one GPU add up; a link back is assumed")
def _(ordo):
    switches = "".join(f'<nvlink target="c{at}:00" count="2" tclass="0x068000"/>'
                       for at in range(6))
    text = system(cpu(0, gpu("01:00", 0, switches), gpu("02:00", 1, switches)))
    _, links, _ = draw(ordo, text)
    wanted(links == {**both(0, 2, "PCI", 24), **both(1, 2, "PCI", 24),
                     **both(0, 3, "NVLink", 240), **both(1, 3, "NVLink", 240)}, links)
    twice = '<nvlink target="02:00" count="2"/><nvlink target="02:00" count="1"/>'
    _, links, said = draw(ordo, system(cpu(0, gpu("01:00", 0, twice), gpu("02:00", 1))))
    wanted(links == {**both(0, 2, "PCI", 24), **both(1, 2, "PCI", 24),
                     **both(0, 1, "NVLink", 60)} and said.count("no link back") == 1, links, said)


@desk_case("xGMI by the name of the GPU; the number of its units is no compute capability")
def _(ordo):
    for gcn, gbs in (("906", 24), ("908", 24), ("910", 36), ("gfx90a", 36), ("gfx942", 48)):
        links = [f'<xgmi target="0{other}:00" count="2" tclass="0x038000"/>' for other in (2, 1)]
        kind = f'sm="104" gcn="{gcn}"'
        text = system(cpu(0, gpu("01:00", 0, links[0], kind, name="0x038000"),
                          gpu("02:00", 1, links[1], kind, name="0x120000")))
        _, found, said = draw(ordo, text)
        wanted(found[0, 1] == found[1, 0] == ("xGMI", 2 * gbs) and not said, gcn, found, said)
    _, found, said = draw(ordo, text.replace("gfx942", "gfx1"))
    wanted(found[0, 1] == ("xGMI", 48) and 'gcn "gfx1" is not known: 24 GB/s' in said, found, said)


@desk_case("servers are copies, joined by the cards; one for management is left out")
def _(ordo):
    text = system(cpu(0, gpu("01:00", 0), card("03:00", "mlx5_0", 200000),
                      card("04:00", "eno1", 1000, 'link_speed="2.5 GT/s" link_width="1"')))
    document, links, said = draw(ordo, text, "--servers", 3)
    wanted(document["ranks"] == 3 and document["switches"] == 7, document)
    wanted(document["name"] == "m:3x1", "levels come of both sizes", document["name"])
    wanted("eno1: much slower than the fastest card: left out" in said, said)
    expected = {}
    for server in range(3):
        host, nic = 3 + 2 * server, 4 + 2 * server
        expected |= {**both(server, host, "PCI", 24), **both(host, nic, "PCI", 24),
                     **both(nic, 9, "network", 25)}
    wanted(links == expected, links, expected)
    alone = draw(ordo, text)[0]
    wanted(alone["ranks"] == 1 and alone["switches"] == 1, alone)


def listed(count):
    """Files of some machines list PCI devices alone."""
    return system(cpu(0, *(f'<pci busid="0{at}:00" class="0x030200" {PCI}/>'
                           for at in range(count)), f'<pci busid="0f:00" class="0x020700" {PCI}/>'))


@desk_case("a list of PCI devices: GPUs by class, cards at the speed of PCI, NVLink by a preset")
def _(ordo):
    document, links, said = draw(ordo, listed(8))
    wanted(document["ranks"] == 8 and
           "`ordo import topology --nvlink dgx-1v`, dgx-a100 or dgx-h100" in said, said)
    for preset, gbs in (("dgx-a100", 240), ("dgx-h100", 18 * 20.6)):
        document, links, said = draw(ordo, listed(8), "--nvlink", preset)
        switch = [pair for pair, link in links.items() if link == ("NVLink", gbs)]
        wanted(len(switch) == 16 and not said, links, said)
    _, links, _ = draw(ordo, listed(8), "--nvlink", "dgx-1v")
    for rank in range(8):
        wanted(sum(gbs for (a, _), (name, gbs) in links.items()
                   if a == rank and name == "NVLink") == 120, rank, links)
    document, links, _ = draw(ordo, listed(8), "--servers", 2)
    wanted(links[17, 20] == ("network", 24) or ("network", 24) in links.values(), links)
    ordo.fails(2, "found 4 GPUs, wanted 8", "import", "topology", write(ordo, listed(4)),
               "--nvlink", "dgx-a100")
    ordo.fails(2, "wanted dgx-1v", "import", "topology", "m.xml", "--nvlink", "dgx")


def write(ordo, text):
    (ordo.folder / "m.xml").write_text(text)
    return "m.xml"


@desk_case("--topology FILE.xml: as many servers as make the ranks")
def _(ordo):
    text = system(cpu(0, gpu("01:00", 0), gpu("02:00", 1), card("03:00", "mlx5_0", 200000)))
    write(ordo, text)
    for ranks in (2, 4):
        ordo.works("compile", "allreduce", "-n", ranks, "-t", "m.xml", "-o", "s.json")
        ordo.works("verify", "s.json", "-t", "m.xml")
        ordo.works("predict", "s.json", "-t", "m.xml")
    ordo.fails(2, "found 2 GPUs, wanted a number that divides the 3 ranks", "compile", "allreduce",
               "-n", 3, "-t", "m.xml")
    ordo.works("draw", "--topology", "m.xml", "--as", "svg", "-o", "m.svg")


@desk_case("what is missing, or leads nowhere, is named")
def _(ordo):
    links = ('<nvlink target="01:00" count="12" tclass="0x030200"/>'
             '<nvlink target="09:00" count="12" tclass="0x030200"/>'
             '<nvlink target="0a:00" count="3" tclass="0x068001"/>'
             '<nvlink target="02:00" count="1" tclass="0x030200"/>')
    text = system(cpu(0, gpu("01:00", 0, links, "", 'link_speed="" link_width="0"'),
                      '<foo><bar/></foo>', gpu("02:00", 1).replace("gdr", "coll")))
    document, found, said = draw(ordo, text)
    for words in ("NVLink: leads to its own GPU: left out", "<foo>: not understood, left out",
                  "NVLink: leads to no GPU of this file: left out", "12 GB/s assumed",
                  'sm "0" has no known NVLink: 18 GB/s assumed',
                  "attribute coll: not understood, left out"):
        wanted(words in said, words, said)
    wanted("bar" not in said and found[0, 2] == ("PCI", 12), said, found)
    wanted(document["switches"] == 1 and found[1, 0] == ("NVLink", 18), document)


@desk_case("bad input, with its place")
def _(ordo):
    good = system(cpu(0, gpu("01:00", 0), gpu("02:00", 1)))
    for text, message in (
            ("<graphs/>", "found <graphs>, wanted <system>: this file has rings and trees"),
            ("", "no element found"), (good[:60], "unclosed token|no element"),
            (good.replace("02:00", "01:00"), "busid: found 01:00 twice"),
            (good.replace('rank="0"', 'rank="-1"'), 'rank: found "-1"'),
            (good.replace('rank="0"', 'rank="1"'), "rank: found 1 twice"),
            (good.replace("<gpu ", "<gpu/><gpu "), "<gpu>: found a second one in 01:00"),
            (good.replace('link_width="16"', 'link_width="99999999999"'), "link_width: found"),
            (good.replace("<cpu", "<system><cpu").replace("</cpu>", "</cpu></system>"),
             "<system> inside <system>"),
            ("<!DOCTYPE a>" + good, "document type"), (system(), "found no GPU"),
            (system(gpu("01:00", 0)), "<pci>: found outside of a <cpu>"),
            (system(cpu(0, "<gpu/>")), "<gpu>: found outside of a <pci>"),
            (system(cpu(0, gpu("01:00", 0, "<nvlink/>"))), "found no target"),
            (system(cpu(0, gpu("01:00", 0, '<nvlink target="a" count="0"/>'))), "count: found 0"),
            (system("<cpu>" + "<nic>" * 80 + "</nic>" * 80 + "</cpu>"),
             "more than 64 elements")):
        ordo.fails(3, r"m\.xml:\d+:\d+: .*(" + message + ")", "import", "topology",
                   write(ordo, text), "-o", "out.json")
    (ordo.folder / "m.xml").write_bytes(good.encode("utf-16"))
    ordo.fails(3, "UTF-16", "import", "topology", "m.xml")
    ordo.fails(3, "found no network card", "import", "topology", write(ordo, good), "--servers", 2)
    wanted(not (ordo.folder / "out.json").exists())


@desk_case("machines in use, where ORDO_CORPUS names a folder of them")
def _(ordo):
    folder = pathlib.Path(os.environ.get("ORDO_CORPUS", "/nowhere")) / "topologies"
    read = 0
    for path in sorted(folder.glob("*.xml")):
        if "graph" in path.name:
            ordo.fails(3, "rings and trees, no machine", "import", "topology", path)
            continue
        for servers in (1, 2):
            ordo.works("import", "topology", path, "--servers", servers, "-o", "m.json")
            ranks = json.loads((ordo.folder / "m.json").read_text())["ranks"]
            algorithm = [] if "length" in sys.argv else ["-a", "ring"]
            ordo.works("compile", "allreduce", "-n", ranks, "-t", "m.json", *algorithm, "-o",
                       "s.json")
            ordo.works("verify", "s.json", "-t", "m.json")
            ordo.works("bound", "allreduce", "-t", "m.json")
        read += 1
    wanted(read > 12 or not folder.exists(), read)
    if not folder.exists():
        print("# skipped: no ORDO_CORPUS")


run_cases()
