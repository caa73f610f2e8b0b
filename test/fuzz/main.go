// Command fuzz finds every fuzz target of the module and runs them one after the
// other for a fixed time each, without the race detector: `make test` gives each
// 30 seconds, `make soak` five minutes. It needs no list to be kept.
//
//	go run ./test/fuzz [-time 30s] [-match REGEXP] [-list]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	duration := flag.Duration("time", 30*time.Second, "how long each target runs")
	match := flag.String("match", "", "run only targets whose folder and name match")
	list := flag.Bool("list", false, "print the targets and run nothing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *duration, *match, *list); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		stop()
		os.Exit(1)
	}
}

// run finds and runs the targets.
func run(ctx context.Context, duration time.Duration, match string, list bool) error {
	re, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("option -match: %w", err)
	}
	all, err := find(".")
	if err != nil {
		return err
	}
	var targets []target
	for _, t := range all {
		if re.MatchString(t.String()) {
			targets = append(targets, t)
		}
	}
	if len(targets) == 0 {
		return fmt.Errorf("no fuzz target found (of %d)", len(all))
	}
	failed := 0
	for i, t := range targets {
		if list {
			fmt.Println(t)
			continue
		}
		begin := time.Now()
		res := t.fuzz(ctx, duration)
		fmt.Printf("%-4s %2d/%d %-48s %s  %s\n", res.verdict, i+1, len(targets), t, time.Since(begin).Round(time.Second), res.note)
		if res.verdict == fail {
			failed++
			fmt.Println(res.output)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d targets failed", failed, len(targets))
	}
	return nil
}
