// Command fuzz finds every fuzz target of the module and runs each for a fixed
// time, without the race detector: `make fuzz` gives each 15 seconds, `make soak`
// five minutes. It needs no list to be kept.
//
// Two run at once and share the cores: go test builds, starts and minimises with
// one core, and the other would have nothing to do meanwhile.
//
//	go run ./test/fuzz [-time 15s] [-jobs 2] [-match REGEXP] [-list]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"sync"
	"time"
)

func main() {
	duration := flag.Duration("time", 15*time.Second, "how long each target runs")
	jobs := flag.Int("jobs", 2, "how many targets run at once, sharing the cores")
	match := flag.String("match", "", "run only targets whose folder and name match")
	list := flag.Bool("list", false, "print the targets and run nothing")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *duration, *jobs, *match, *list); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		stop()
		os.Exit(1)
	}
}

// run finds and runs the targets.
func run(ctx context.Context, duration time.Duration, jobs int, match string, list bool) error {
	if jobs < 1 {
		return fmt.Errorf("option -jobs %d: want at least 1", jobs)
	}
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
	if list {
		for _, t := range targets {
			fmt.Println(t)
		}
		return nil
	}
	jobs = min(jobs, len(targets))
	workers := max(1, runtime.GOMAXPROCS(0)/jobs)
	var (
		mu           sync.Mutex // of what follows, and of what is printed
		done, failed int
	)
	next := make(chan target)
	var running sync.WaitGroup
	for range jobs {
		running.Go(func() {
			for t := range next {
				begin := time.Now()
				res := t.fuzz(ctx, duration, workers)
				mu.Lock()
				done++
				fmt.Printf("%-4s %2d/%d %-48s %s  %s\n", res.verdict, done, len(targets), t, time.Since(begin).Round(time.Second), res.note)
				if res.verdict == fail {
					failed++
					fmt.Println(res.output)
				}
				mu.Unlock()
			}
		})
	}
	for _, t := range targets {
		if ctx.Err() != nil {
			break
		}
		next <- t
	}
	close(next)
	running.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d targets failed", failed, len(targets))
	}
	return nil
}
