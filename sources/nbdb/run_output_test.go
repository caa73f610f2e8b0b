package nbdb

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// script is a Runner that is a function.
type script func(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error

func (s script) Run(ctx context.Context, _ []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return s(ctx, stdin, stdout, stderr)
}

var errExit = errors.New("exit code 1")

// A program that is silent, slow without end, or says too much is ended with the
// reason; one that is slow but steady is waited for.
func TestRemoteLimits(t *testing.T) {
	drip := func(times int) script {
		return func(ctx context.Context, _ io.Reader, stdout, _ io.Writer) error {
			for range times {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case <-time.After(time.Second):
				}
				if _, err := stdout.Write([]byte("drip")); err != nil {
					<-ctx.Done() // as a transport that drains does
					return ctx.Err()
				}
			}
			return nil
		}
	}
	for _, tt := range []struct {
		name string
		run  script
		want error
		took time.Duration
	}{
		{"steady", drip(20), nil, 20 * time.Second},
		{"silent", func(ctx context.Context, _ io.Reader, _, _ io.Writer) error { <-ctx.Done(); return ctx.Err() }, ErrSilent, 2 * time.Second},
		{"no end", drip(1000), ErrSilent, time.Minute},
		{"too much", drip(1000), ErrOutput, 26 * time.Second},
		{"fails", func(_ context.Context, _ io.Reader, _, stderr io.Writer) error {
			_, _ = io.WriteString(stderr, "ovsdb-client: \x1b[31mno\n")
			return errExit
		}, errExit, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := runLimits{quiet: 2 * time.Second, total: time.Minute, maxBytes: 1000}
				if tt.want == ErrOutput {
					l.maxBytes = 100
				}
				began := time.Now()
				out, err := captureOutput(t.Context(), tt.run, nil, l)
				if !errors.Is(err, tt.want) || (err == nil) != (len(out) > 0) {
					t.Errorf("%v, %d bytes, want %v", err, len(out), tt.want)
				}
				if took := time.Since(began); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if tt.want == errExit && err.Error() != "exit code 1: ovsdb-client: \ufffd[31mno" {
					t.Errorf("%q", err)
				}
			})
		})
	}
}

// A relay that takes the greeting and says nothing is given up; one that ends says
// why.
func TestGreet(t *testing.T) {
	for name, tt := range map[string]struct {
		run  script
		want string
	}{
		"silent": {func(ctx context.Context, stdin io.Reader, _, _ io.Writer) error {
			_, _ = io.Copy(io.Discard, stdin)
			<-ctx.Done()
			return ctx.Err()
		}, "read pipe: i/o timeout"},
		"ends": {func(_ context.Context, stdin io.Reader, _, stderr io.Writer) error {
			_, _ = io.WriteString(stderr, "No such file or directory")
			return errExit
		}, "exit code 1: No such file or directory"},
		"answers": {func(_ context.Context, stdin io.Reader, stdout, _ io.Writer) error {
			_, err := io.Copy(stdout, stdin)
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.Background())
				var programs sync.WaitGroup
				p := startRelay(ctx, &programs, tt.run, nil)
				err := p.waitForAnswer(ctx, time.Second)
				if got := text(err); got != tt.want {
					t.Errorf("%q, want %q", got, tt.want)
				}
				_ = p.Close()
				cancel()
				programs.Wait()
			})
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
