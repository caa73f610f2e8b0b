// Command suite runs targets of make one after the other, every one whatever became
// of those before it, and lists at the end what failed. `make test-full` is made of it.
//
//	go run ./test/suite MAKE TARGET...
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: suite MAKE TARGET...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		stop()
		os.Exit(1)
	}
}

// part is a target that ran.
type part struct {
	name string
	took time.Duration
	err  error
	failures
}

// run runs the targets and says at the end how each went. An interrupt ends the
// target that runs, which gets it as well, and starts no other.
func run(ctx context.Context, out io.Writer, program string, targets []string) error {
	var parts []*part
	for _, name := range targets {
		if ctx.Err() != nil {
			break
		}
		p := &part{name: name}
		parts = append(parts, p)
		cmd := exec.Command(program, "--no-print-directory", name)
		cmd.Stdout = io.MultiWriter(out, p)
		cmd.Stderr = cmd.Stdout
		began := time.Now()
		p.err = cmd.Run()
		p.took = time.Since(began)
	}
	if failed := report(out, parts); failed > 0 {
		return fmt.Errorf("%d of %d parts failed", failed, len(targets))
	}
	return ctx.Err()
}

// report prints a line for each part, and under it what failed. It returns how many
// parts did.
func report(out io.Writer, parts []*part) (failed int) {
	fmt.Fprintln(out)
	for _, p := range parts {
		verdict, note := "ok  ", ""
		if p.err != nil {
			failed++
			verdict, note = "FAIL", "  "+p.err.Error()
		}
		fmt.Fprintf(out, "%s %-12s %s%s\n", verdict, p.name, p.took.Round(time.Second), note)
		if p.err == nil {
			continue
		}
		for _, line := range p.list() {
			fmt.Fprintln(out, "     "+line)
		}
	}
	return failed
}
