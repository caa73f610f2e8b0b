package command

import (
	"context"
	"io"
	"rung/cli/process"
	"rung/sources/reading"
)

// App is what the subcommands share.
type App struct {
	In io.Reader
	// out and err take only what can be seen; raw is the process's own output, for
	// what a screen is cleared with.
	Out, Err, Raw io.Writer

	Flags  flags
	CanAsk bool // in is a terminal: somebody can be asked
	// Keyboard is in as it was handed in, to read single keys from.
	Keyboard io.Reader
	Needs    need // of the command
	// Said are the complaints that were printed already.
	Said map[string]bool
	// completes says that a command line is completed: nothing is said then, or done.
	completes bool
}

// New is the app of a process that reads in and writes to out and errw, until ctx ends.
func New(ctx context.Context, in io.Reader, out, errw io.Writer) *App {
	return &App{In: reading.Reader(ctx, in), Out: cleanWriter{out}, Err: cleanWriter{errw}, Raw: out,
		Said: map[string]bool{}, CanAsk: process.IsTerminal(in), Keyboard: in}
}
