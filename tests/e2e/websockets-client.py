"""websockets-client.py URL: joins over WebSocket with Debian's python3-websockets and checks echoes of id 7A."""

import asyncio
import sys

import websockets


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def frame(body):
    return varint(len(body)) + body


def text(value):
    return varint(len(value)) + value.encode()


LOGIN = frame(b"\0" + varint(5) + text("localhost") + b"\x63\xdd\x02") + frame(b"\0" + text("Python"))


async def main(url):
    wanted = [frame(b"\x7a" + bytes(i & 255 for i in range(size))) for size in (1, 5000, 200000)]
    async with websockets.connect(url, compression="deflate", max_size=None) as ws:
        await ws.send(LOGIN)
        seen = b""
        while b"\x08" not in seen or len(seen) < 60:
            seen += await asyncio.wait_for(ws.recv(), 10)
        pong = await ws.ping(b"hello")
        await asyncio.wait_for(pong, 10)
        await ws.send([wanted[0][:1], wanted[0][1:]])
        for message in wanted[1:]:
            await ws.send(message)
        echoed = b""
        while not all(message in echoed for message in wanted):
            echoed += await asyncio.wait_for(ws.recv(), 10)
    print("echoed", len(wanted), "close", ws.close_code)


asyncio.run(asyncio.wait_for(main(sys.argv[1]), 30))
