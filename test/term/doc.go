// Package term drives a real program in a pseudo-terminal, as a person would:
// it presses keys, reads the screen, resizes the window, and measures how long
// things take. The screen is a terminal emulator that answers the program's
// questions (colours, modes, cursor), so that the program behaves as it does in
// a modern terminal.
//
// Open gives a Terminal whose methods return errors; Start wraps it for tests:
// every failure ends the test and prints the screen.
//
// Invariants: a Frame is a copy and never changes; conditions are only judged on
// complete frames (a synchronised update is one frame); after Close no goroutine
// and no process that was started is left.
//
// Only tests and benchmarks import it.
package term
