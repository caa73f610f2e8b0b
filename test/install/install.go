package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Variables that steer the helpers; Makefile and .ci/run set them.
const (
	BinaryVar  = "RUNG_BINARY"          // path of a rung to use instead of building one
	RequireVar = "RUNG_REQUIRE_SERVERS" // "1": a missing server fails
	TimingVar  = "RUNG_TIMING"          // "1": measure; "strict": the machine is quiet, hold to the promise
	SoakVar    = "RUNG_SOAK"            // "1": long tests run
	LintVar    = "RUNG_LINT"            // "1": generated files are compared with what generates them
	OVNVar     = "RUNG_OVN"             // folder of an OVN, a prefix or the root of a chroot; empty: PATH
)

var built struct {
	once sync.Once
	path string
	err  error
}

// Binary returns the path of a rung built from this tree, without the race
// detector, which would falsify times.
func Binary(tb testing.TB) string {
	tb.Helper()
	built.once.Do(func() { built.path, built.err = binary() })
	if built.err != nil {
		tb.Fatal(built.err)
	}
	return built.path
}

// binary finds or builds rung. Every process builds under a name of its own and
// renames, so that none starts a file another is still writing.
func binary() (string, error) {
	if path := os.Getenv(BinaryVar); path != "" {
		// Looked at, so that the test cache notices a new one.
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%s: %w", BinaryVar, err)
		}
		return filepath.Abs(path)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	if err := look(root); err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin", "rung.test")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", fmt.Errorf("building rung: %w", err)
	}
	temp := fmt.Sprintf("%s.%d", path, os.Getpid())
	cmd := exec.Command("go", "build", "-o", temp, ".")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building rung: %w\n%s", err, bytes.TrimSpace(out))
	}
	if err := os.Rename(temp, path); err != nil {
		return "", errors.Join(fmt.Errorf("building rung: %w", err), os.Remove(temp))
	}
	return path, nil
}

// look opens every source folder, so that the test cache, which remembers what a
// test opened, does not take a changed program for the old one.
func look(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // somebody's temporary file
			}
			return fmt.Errorf("looking at the source: %w", err)
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		return nil
	})
}

// Root returns the folder of Rung's go.mod above the working folder, past those of
// modules inside it.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module rung\n") {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("finding the module: no go.mod of rung above the working folder")
		}
		dir = parent
	}
}

// Server returns the path of an installed program, for example "ovsdb-server".
// Where it is not installed the test is skipped and says so in one line, or
// fails when servers are required.
func Server(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv(RequireVar) == "1" {
		tb.Fatalf("%s is not installed and %s=1", name, RequireVar)
	}
	tb.Skipf("%s is not installed: this test did not run", name)
	return ""
}

// OVN returns the OVN that find finds, ovn.FindTools above all, in the folder RUNG_OVN names
// or in PATH. Where there is none, or none that is new enough, the test is skipped with
// one line, or fails when servers are required.
func OVN[T any](tb testing.TB, find func(ctx context.Context, place string) (T, error)) T {
	tb.Helper()
	found, err := find(tb.Context(), os.Getenv(OVNVar))
	if err == nil {
		return found
	}
	if os.Getenv(RequireVar) == "1" {
		tb.Fatalf("%v, and %s=1", err, RequireVar)
	}
	tb.Skipf("%v: this test did not run (%s names a folder)", err, OVNVar)
	return found
}

// Timing lets a test measure: `make test-timing` runs the tests named TestTiming… alone,
// one after the other, without the race detector. It returns the factor by which
// a time may miss its promise before the test fails: 1 where the machine is said
// to be quiet (make soak), more elsewhere, since a busy neighbour is no reason
// to refuse a change. The measurement is logged either way.
func Timing(tb testing.TB) (slack int) {
	tb.Helper()
	switch os.Getenv(TimingVar) {
	case "strict":
		return 1
	case "1":
		return 6
	}
	tb.Skipf("times are measured with %s=1, as make test-timing does", TimingVar)
	return 0
}

// Generated lets a test run that makes generated files anew, for which it builds
// their generator, only in `make lint`.
func Generated(tb testing.TB) {
	tb.Helper()
	if os.Getenv(LintVar) != "1" {
		tb.Skipf("generates: runs with %s=1, as make lint does", LintVar)
	}
}

// Soak lets a long test run only in `make soak`.
func Soak(tb testing.TB) {
	tb.Helper()
	if os.Getenv(SoakVar) != "1" {
		tb.Skipf("long: runs with %s=1, as make soak does", SoakVar)
	}
}

// WithoutRace skips a test that is slow under the race detector and starts no goroutines of its
// own. `make test` runs it.
func WithoutRace(t testing.TB) {
	t.Helper()
	if Raced {
		t.Skip("make test runs it, without the race detector")
	}
}
