"""ping.py [HOST [PORT]]: asks for a Minecraft status (protocol 5) and prints the answer; fails when there is none."""

import json
import socket
import sys


def read_exactly(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError("closed before the answer was complete")
        data += more
    return data


def read_varint(connection):
    value = shift = 0
    while True:
        byte = read_exactly(connection, 1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
        shift += 7


def ping(host, port):
    name = host.encode()
    body = b"\x00\x05" + bytes([len(name)]) + name + port.to_bytes(2, "big") + b"\x01"
    with socket.create_connection((host, port), timeout=3) as connection:
        connection.sendall(bytes([len(body)]) + body + b"\x01\x00")
        read_varint(connection)  # length of the frame
        if read_varint(connection) != 0:
            raise ConnectionError("not a status answer")
        return json.loads(read_exactly(connection, read_varint(connection)))


try:
    print(json.dumps(ping(*(sys.argv[1:2] or ["127.0.0.1"]), int((sys.argv[2:3] or ["25577"])[0]))))
except (OSError, ValueError) as error:
    print(f"no status: {error}", file=sys.stderr)
    sys.exit(1)
