

import curses
import time

ORDER = "IJLOSTZ"
COLOURS = (6, 4, 7, 3, 2, 5, 1)  # cyan, blue, white, yellow, green, magenta, red


def colour(name):
    return curses.color_pair(1 + ORDER.index(name)) if curses.has_colors() else curses.A_REVERSE


def put(screen, y, x, text, style=0):
    try:
        screen.addstr(y, x, text, style)
    except curses.error:
        pass  # the terminal is smaller than the board


def draw(screen, game):
    screen.erase()
    for y in range(HEIGHT):
        put(screen, y, 0, "|" + " ." * WIDTH + "|")
    put(screen, HEIGHT, 0, "+" + "--" * WIDTH + "+")
    for x, y in game.ghost():
        put(screen, y, 1 + 2 * x, "::")
    for (x, y), name in list(game.board.items()) + list(game.falling().items()):
        put(screen, y, 1 + 2 * x, "[]", colour(name))
    side = 2 * WIDTH + 4
    put(screen, 0, side, "Next")
    for x, y in PIECES[game.next][1]:
        put(screen, y + 1, side + 2 * x, "[]", colour(game.next))
    for row, text in enumerate(("Score %d" % game.score, "Lines %d" % game.lines, "Level %d" % game.level)):
        put(screen, 5 + row, side, text)
    if game.over:
        put(screen, 9, side, "Game over. Enter: again, q: quit")
    elif game.paused:
        put(screen, 9, side, "Paused")
    else:
        put(screen, 9, side, "Arrows, space, p, q")
    screen.refresh()


def press(game, key):
    if key in (curses.KEY_LEFT, ord("a")):
        game.move(-1)
    elif key in (curses.KEY_RIGHT, ord("d")):
        game.move(1)
    elif key in (curses.KEY_UP, ord("w")):
        game.turn()
    elif key in (curses.KEY_DOWN, ord("s")):
        game.soft()
    elif key == ord(" "):
        game.drop()
    elif key in (ord("p"), ord("P")):
        game.paused = not game.paused


def play(screen):
    try:
        curses.curs_set(0)
    except curses.error:
        pass  # a terminal that can't hide its cursor
    if curses.has_colors():
        curses.use_default_colors()
        for pair, number in enumerate(COLOURS):
            curses.init_pair(pair + 1, number, -1)
    game, fall = Game(), time.monotonic()
    while True:
        draw(screen, game)
        screen.timeout(max(1, int(1000 * (fall + game.delay - time.monotonic()))))
        key = screen.getch()
        if key in (ord("q"), ord("Q")):
            return game
        if key in (10, 13, curses.KEY_ENTER) and game.over:
            game = Game()
        press(game, key)
        if time.monotonic() >= fall + game.delay:
            game.step()
            fall = time.monotonic()


def main():
    try:
        game = curses.wrapper(play)
    except KeyboardInterrupt:
        return
    print("Score %d, lines %d" % (game.score, game.lines))


if __name__ == "__main__":
    main()
