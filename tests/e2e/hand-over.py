"""hand-over.py NAME=HOST:PORT... PROGRAM [ARGUMENT...]: starts a program with listening sockets, as systemd would.

The sockets are descriptors 3, 4, ...; LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES name them.
"""

import os
import socket
import sys


def main():
    words = sys.argv[1:]
    names = []
    sockets = []
    while "=" in words[0]:
        name, at = words.pop(0).split("=")
        host, port = at.rsplit(":", 1)
        sock = socket.create_server((host, int(port)), backlog=128)
        names.append(name)
        sockets.append(sock)
    # Out of the way first: a socket may already sit where another one has to go.
    high = [os.dup2(sock.fileno(), 100 + i) for i, sock in enumerate(sockets)]
    for i, fd in enumerate(high):
        os.dup2(fd, 3 + i, inheritable=True)
        os.close(fd)
    for fd in range(3 + len(high), 64):
        try:
            os.close(fd)
        except OSError:
            pass
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(high)), LISTEN_FDNAMES=":".join(names))
    os.execvp(words[0], words)


main()
