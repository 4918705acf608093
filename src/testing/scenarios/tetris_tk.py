

import sys
import tkinter
import types

CELL = 28
COLOURS = dict(I="#4dd0e1", J="#5c7cfa", L="#ffa94d", O="#ffe066", S="#69db7c", T="#cc5de8", Z="#ff6b6b")


class Window:
    def __init__(self, root):
        self.root, self.game = root, Game()
        root.title("Tetris")
        self.canvas = tkinter.Canvas(root, width=(WIDTH + 6) * CELL, height=HEIGHT * CELL, bg="#1a1b26")
        self.canvas.pack()
        root.bind("<Key>", self.press)
        self.fall()

    def press(self, event):
        game, key = self.game, event.keysym.lower()
        if key == "q":
            self.root.destroy()
            return
        if key == "p":
            game.paused = not game.paused
        if key == "return" and game.over:
            self.game = Game()
        moves = {"left": lambda: game.move(-1), "right": lambda: game.move(1), "up": game.turn}
        moves.update(down=game.soft, space=game.drop)
        moves.get(key, lambda: None)()
        self.draw()

    def fall(self):
        self.game.step()
        self.draw()
        self.root.after(int(self.game.delay * 1000), self.fall)

    def square(self, x, y, colour, **more):
        box = (x * CELL + 1, y * CELL + 1, (x + 1) * CELL - 1, (y + 1) * CELL - 1)
        self.canvas.create_rectangle(*box, fill=colour, outline="", **more)

    def write(self, row, text):
        at = ((WIDTH + 0.7) * CELL, row * CELL)
        self.canvas.create_text(*at, text=text, fill="white", anchor="nw", font=("Courier", 13))

    def draw(self):
        game = self.game
        self.canvas.delete("all")
        self.canvas.create_line(WIDTH * CELL, 0, WIDTH * CELL, HEIGHT * CELL, fill="#565f89")
        for x, y in game.ghost():
            self.square(x, y, "#2f3350")
        for (x, y), name in list(game.board.items()) + list(game.falling().items()):
            self.square(x, y, COLOURS[name])
        for x, y in PIECES[game.next][1]:
            self.square(x + WIDTH + 1, y + 2, COLOURS[game.next])
        self.write(0.7, "next")
        self.write(6, "score\n%d\n\nlines\n%d\n\nlevel\n%d" % (game.score, game.lines, game.level))
        if game.over or game.paused:
            self.write(15, "game over\nEnter: again" if game.over else "paused")


def main():
    root = tkinter.Tk()
    window = Window(root)
    if "--demo" in sys.argv:  # a second and a half of play without hands, then a report
        for at, key in enumerate(["Left", "Up", "space", "Right", "Right", "space", "Left", "space"]):
            root.after(150 + at * 100, window.press, types.SimpleNamespace(keysym=key))
        root.after(1500, root.destroy)
    root.mainloop()
    print("Score %d, lines %d, cells on the board %d" % (window.game.score, window.game.lines, len(window.game.board)))


if __name__ == "__main__":
    main()
