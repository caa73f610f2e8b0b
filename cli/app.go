package cli

import (
	"context"
	"io"
	"rung/sources/reading"
)

// app is what the subcommands share.
type app struct {
	in io.Reader
	// out and err take only what can be seen; raw is the process's own output, for
	// what a screen is cleared with.
	out, err, raw io.Writer

	flags flags
	asks  bool // in is a terminal: somebody can be asked
	// keyboard is in as it was handed in, to read single keys from.
	keyboard io.Reader
	needs    need // of the command
	// said are the complaints that were printed already.
	said map[string]bool
	// completes says that a command line is completed: nothing is said then, or done.
	completes bool
}

// newApp is the app of a process that reads in and writes to out and errw, until ctx ends.
func newApp(ctx context.Context, in io.Reader, out, errw io.Writer) *app {
	return &app{in: reading.Reader(ctx, in), out: cleanWriter{out}, err: cleanWriter{errw}, raw: out,
		said: map[string]bool{}, asks: isTerminal(in), keyboard: in}
}
