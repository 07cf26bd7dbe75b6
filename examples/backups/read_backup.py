"""Rebuilds and verifies a moment of Galley's incremental backups without Galley.

python3 read_backup.py LOCATION MOMENT OUT, such as
python3 read_backup.py /mnt/backups states/20261127T120000Z-3f9a….json.gz out
"""
import base64, gzip, hashlib, json, sys
from pathlib import Path

location, name, out = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])


def read(name: str, sha256: str) -> bytes:
    content = gzip.decompress((location / name).read_bytes())
    assert hashlib.sha256(content).hexdigest() == sha256, f"{name} is damaged"
    return content


def chunks(of: dict) -> bytes:
    return b"".join(read(f"chunks/{chunk['sha256']}.gz", chunk["sha256"]) for chunk in of["chunks"])


def put(line: bytes) -> None:
    record = json.loads(line)
    key = record["key"].encode() if "key" in record else base64.b64decode(record["key64"])
    records[record["table"], key] = None if record.get("deleted") else line


segments = []
while name.startswith("segments/"):
    header, *lines = read(name, name.split("-")[1].split(".")[0]).split(b"\n")
    segments.insert(0, (json.loads(header), lines))
    name = segments[0][0]["after"]
state = json.loads(read(name, name.split("-")[1].split(".")[0]))
records, files = {}, {file["path"]: file for file in state["files"]}
for table in state["records"]:
    for line in chunks(table).split(b"\n")[:-1]:
        put(line)
for header, lines in segments:
    for line in filter(None, lines):
        put(line)
    files |= {file["path"]: file for file in header["files"]}
    for path in header["removed_files"]:
        del files[path]
for path, file in files.items():
    (out / path).parent.mkdir(parents=True, exist_ok=True)
    (out / path).write_bytes(chunks(file))
    assert hashlib.sha256((out / path).read_bytes()).hexdigest() == file["sha256"], f"{path} differs"
out.mkdir(exist_ok=True)
(out / "records.jsonl").write_bytes(b"".join(line + b"\n" for _, line in sorted(records.items()) if line))
