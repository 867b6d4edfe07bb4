"""chakra.py - reads Chakra execution traces: by a decoder of the wire format, and by `protoc`."""
import re
import shutil
import subprocess

from goal import task_of
from operations import Operation
from tap import wanted

# The fields that are used. Numbers and types are those of schema/protobuf/et_def.proto in the
# repository mlcommons/chakra. TRACE is ours: a whole file, when each of its messages has a tag.
SCHEMA = """
syntax = "proto3";
message GlobalMetadata { string version = 1; }
message AttributeProto {
  string name = 1;
  oneof value { int32 int32_val = 7; int64 int64_val = 9; uint64 uint64_val = 13;
                bool bool_val = 27; }
}
enum NodeType { INVALID_NODE = 0; METADATA_NODE = 1; MEM_LOAD_NODE = 2; MEM_STORE_NODE = 3;
                COMP_NODE = 4; COMM_SEND_NODE = 5; COMM_RECV_NODE = 6; COMM_COLL_NODE = 7; }
message Node {
  uint64 id = 1; string name = 2; NodeType type = 3;
  repeated uint64 ctrl_deps = 4; repeated uint64 data_deps = 5;
  uint64 start_time_micros = 6; uint64 duration_micros = 7;
  repeated AttributeProto attr = 10;
}
message Trace { GlobalMetadata metadata = 1; repeated Node node = 2; }
"""
TYPES = {4: "COMP_NODE", 5: "COMM_SEND_NODE", 6: "COMM_RECV_NODE"}


def varint(data, at):
    number, shift = 0, 0
    while True:
        wanted(at < len(data) and shift < 70, "a number is cut")
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def fields(data):
    """(field, number or bytes) of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wanted(key & 7 in (0, 2), "a wire type that no field has", key)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            wanted(at + size <= len(data), "a field is cut")
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def split(data):
    """The messages of a file, each behind its length."""
    at, messages = 0, []
    while at < len(data):
        size, at = varint(data, at)
        wanted(size and at + size <= len(data), "a message is empty or cut", size)
        messages.append(data[at:at + size])
        at += size
    return messages


def decode_node(data):
    node = {"data_deps": [], "attr": {}}
    names = {1: "id", 3: "type", 7: "duration_micros"}
    for field, value in fields(data):
        if field == 5:
            at = 0
            while at < len(value):
                number, at = varint(value, at)
                node["data_deps"].append(number)
        elif field == 10:
            (one, name), (kind, content) = fields(value)
            wanted(one == 1 and kind in (7, 9, 13, 27), name, kind)
            node["attr"][name.decode()] = (kind, content)
        elif field == 2:
            node["name"] = value.decode()
        else:
            node[names[field]] = value
    return {**node, "type": TYPES[node["type"]]}


def decode(data):
    first, *nodes = split(data)
    wanted(list(fields(first)) == [(1, b"0.0.4")], first)
    return [decode_node(node) for node in nodes]


def decode_by_protoc(data, folder):
    """The same of the text that protoc prints."""
    (folder / "trace.proto").write_text(SCHEMA)
    first, *nodes = split(data)
    tagged = b"".join(tag + write_varint(len(message)) + message
                      for tag, message in [(b"\x0a", first), *((b"\x12", one) for one in nodes)])
    text = subprocess.run(["protoc", "--decode=Trace", f"--proto_path={folder}", "trace.proto"],
                          input=tagged, capture_output=True, check=True, timeout=60).stdout.decode()
    wanted(not re.search(r"^ *\d+:", text, re.M), "fields that the schema lacks", text)
    return [parse_node(part) for part in re.findall(r"^node \{\n(.*?)^\}", text, re.M | re.S)]


def write_varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def parse_node(text):
    numbers = {"int32_val": 7, "int64_val": 9, "uint64_val": 13, "bool_val": 27}
    node = {"data_deps": [int(one) for one in re.findall(r"^  data_deps: (\d+)", text, re.M)],
            "attr": {name: (numbers[kind], int(value) if value.isdigit() else int(value == "true"))
                     for name, kind, value in re.findall(
                         r'^  attr \{\n    name: "(\w+)"\n    (\w+): (\w+)\n  \}', text, re.M)}}
    for name, value in re.findall(r"^  (id|duration_micros): (\d+)", text, re.M):
        node[name] = int(value)
    node["name"] = re.search(r'^  name: "(\w+)"', text, re.M)[1]
    node["type"] = re.search(r"^  type: (\w+)", text, re.M)[1]
    return node


def operation_of(rank, node):
    task, own = task_of(rank, node["name"])
    attributes = {name: value for name, (_, value) in node["attr"].items()}
    wanted(attributes.pop("is_cpu_op") == 0, node)
    kinds = {name: kind for name, (kind, _) in node["attr"].items()}
    if node["type"] == "COMP_NODE":
        wanted(set(attributes) == {"num_ops", "tensor_size"}, node)
        return Operation("calc", rank, task, own, time=node.get("duration_micros", 0) * 1000)
    wanted((kinds["comm_size"], kinds["comm_src"], kinds["comm_dst"], kinds["comm_tag"]) ==
           (9, 7, 7, 7) and len(kinds) == 5, node)
    sends = node["type"] == "COMM_SEND_NODE"
    wanted(attributes["comm_src" if sends else "comm_dst"] == rank, node)
    return Operation("send" if sends else "recv", rank, task, own, attributes["comm_size"],
                     attributes["comm_dst" if sends else "comm_src"], attributes["comm_tag"])


def read_traces(folder, decode_with=decode):
    """The operations of all ranks; ids are unique and dependences point at nodes above."""
    operations, files = [], sorted(path.name for path in folder.iterdir())
    wanted(files == sorted(f"schedule.{rank}.et" for rank in range(len(files))), files)
    for rank in range(len(files)):
        of_id = {}
        for node in decode_with((folder / f"schedule.{rank}.et").read_bytes()):
            wanted(node["id"] not in of_id, "two nodes with one id", node)
            of_id[node["id"]] = operation = operation_of(rank, node)
            operation.needs = [of_id[number] for number in node["data_deps"]]
            operations.append(operation)
    return operations


PROTOC = shutil.which("protoc")
