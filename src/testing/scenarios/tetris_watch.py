# Plays tetris.py in a real pseudo-terminal for about a second and prints what its screen showed.
import fcntl, os, pty, re, select, struct, sys, termios, time

ROWS, COLUMNS = 24, 60
pid, terminal = pty.fork()
if pid == 0:
    time.sleep(0.2)  # until the window has its size
    os.environ["TERM"] = "vt100"
    os.execvp("python3", ["python3", "tetris.py"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))

screen, at = [[" "] * COLUMNS for _ in range(ROWS)], [0, 0]
pattern = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()].|\x1b.|(.)", re.S)


def show(text):
    """The few sequences of a vt100 that curses sends."""
    for numbers, command, letter in pattern.findall(text):
        first, _, second = numbers.partition(";")
        count = int(first) if first.isdigit() else 1
        if command == "H":
            at[:] = count - 1, (int(second) if second.isdigit() else 1) - 1
        elif command in ("A", "B"):
            at[0] += count if command == "B" else -count
        elif command in ("C", "D"):
            at[1] += count if command == "C" else -count
        elif command == "K":
            left, right = (0, at[1] + 1) if first == "1" else (at[1], COLUMNS)
            screen[at[0]][left:right] = [" "] * (right - left)
        elif command == "J":
            rows = range(ROWS) if first == "2" else range(at[0] + 1, ROWS)
            for row in rows:
                screen[row] = [" "] * COLUMNS
            if first != "2":
                screen[at[0]][at[1]:] = [" "] * (COLUMNS - at[1])
        elif letter == "\r":
            at[1] = 0
        elif letter == "\n":
            at[0] = min(ROWS - 1, at[0] + 1)
        elif letter == "\b":
            at[1] = max(0, at[1] - 1)
        elif letter >= " " and at[0] < ROWS and at[1] < COLUMNS:
            screen[at[0]][at[1]] = letter
            at[1] += 1


def listen(seconds):
    """Shows what comes; False once the game has closed its terminal."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                return False
            if not data:
                return False
            show(data.decode("utf-8", "replace"))
    return True


def lines():
    return ["".join(row).rstrip() for row in screen]


alive = listen(0.2)
waited = time.monotonic()
while alive and "Score" not in "\n".join(lines()) and time.monotonic() < waited + 10:
    alive = listen(0.1)
for key in "aaaw dd dddw aa ":
    alive = alive and listen(0.08)
    if alive:
        os.write(terminal, key.encode())
alive = alive and listen(0.3)
snapshot = "\n".join(lines()).strip()
if alive:
    os.write(terminal, b"q")
    alive = listen(5)
if alive:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
drawn = "[]" in snapshot and "Score" in snapshot
print(snapshot)
print("board drawn" if drawn else "no board", "- the game ended with status", code)
sys.exit(code if code or drawn else 3)
