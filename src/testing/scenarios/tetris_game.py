#!/usr/bin/env python3
"""Tetris in one file.

Left, right: move. Up: turn. Down: faster. Space: drop. P: pause. Q: quit.
Status: not run yet.
"""
import random

WIDTH, HEIGHT = 10, 20
# Cells of each piece in a square box of the given size, which turns as a whole.
PIECES = {
    "I": (4, [(0, 1), (1, 1), (2, 1), (3, 1)]),
    "J": (3, [(0, 0), (0, 1), (1, 1), (2, 1)]),
    "L": (3, [(2, 0), (0, 1), (1, 1), (2, 1)]),
    "O": (2, [(0, 0), (1, 0), (0, 1), (1, 1)]),
    "S": (3, [(1, 0), (2, 0), (0, 1), (1, 1)]),
    "T": (3, [(1, 0), (0, 1), (1, 1), (2, 1)]),
    "Z": (3, [(0, 0), (1, 0), (1, 1), (2, 1)]),
}
KICKS = [(0, 0), (-1, 0), (1, 0), (0, -1), (-2, 0), (2, 0)]
POINTS = [0, 100, 300, 500, 800]


class Game:
    """The rules, without a screen: the board, the falling piece, the score."""

    def __init__(self, seed=None):
        self.random = random.Random(seed)
        self.board = {}  # (x, y) -> name of the piece it came from
        self.bag = []
        self.score = self.lines = 0
        self.over = self.paused = False
        self.next = self.draw()
        self.spawn()

    @property
    def level(self):
        return 1 + self.lines // 10

    @property
    def delay(self):
        """Seconds for one row."""
        return max(0.05, 0.8 * 0.84 ** (self.level - 1))

    def draw(self):
        # All seven come once before any comes again.
        if not self.bag:
            self.bag = list(PIECES)
            self.random.shuffle(self.bag)
        return self.bag.pop()

    def spawn(self):
        self.name, self.next = self.next, self.draw()
        self.size, cells = PIECES[self.name]
        self.cells = list(cells)
        self.x, self.y = (WIDTH - self.size) // 2, 0
        self.over = not self.fits(self.cells, self.x, self.y)

    def fits(self, cells, x, y):
        return all(
            0 <= x + cx < WIDTH and y + cy < HEIGHT and (x + cx, y + cy) not in self.board for cx, cy in cells
        )

    def move(self, dx, dy=0):
        if self.over or self.paused or not self.fits(self.cells, self.x + dx, self.y + dy):
            return False
        self.x, self.y = self.x + dx, self.y + dy
        return True

    def turn(self):
        turned = [(self.size - 1 - y, x) for x, y in self.cells]
        for dx, dy in KICKS:
            if not self.over and not self.paused and self.fits(turned, self.x + dx, self.y + dy):
                self.cells, self.x, self.y = turned, self.x + dx, self.y + dy
                return True
        return False

    def step(self):
        """One row down; a piece that can't fall is laid."""
        if not self.over and not self.paused and not self.move(0, 1):
            self.lay()

    def soft(self):
        if self.move(0, 1):
            self.score += 1

    def drop(self):
        if self.over or self.paused:
            return
        while self.move(0, 1):
            self.score += 2
        self.lay()

    def lay(self):
        for cx, cy in self.cells:
            self.board[self.x + cx, self.y + cy] = self.name
        full = [y for y in range(HEIGHT) if all((x, y) in self.board for x in range(WIDTH))]
        for row in full:
            self.board = {(x, y + (y < row)): name for (x, y), name in self.board.items() if y != row}
        self.score += POINTS[len(full)] * self.level
        self.lines += len(full)
        self.spawn()

    def falling(self):
        return {(self.x + cx, self.y + cy): self.name for cx, cy in self.cells}

    def ghost(self):
        """Where the piece would land."""
        y = self.y
        while self.fits(self.cells, self.x, y + 1):
            y += 1
        return {(self.x + cx, y + cy) for cx, cy in self.cells}
