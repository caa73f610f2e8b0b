package kube_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/test/given/troubled"
	"rung/test/install"
	"rung/test/kube/cluster"
)

// patience bounds every wait of these tests; nothing on a sane machine needs it.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if err := binary(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if demo.cluster != nil {
		if err := demo.cluster.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	phases.print()
	return code
}

// binary builds rung where make has not: install.Binary would look for it in this
// module.
func binary() error {
	if os.Getenv(install.BinaryVar) != "" {
		return nil
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "bin", "rung"))
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = filepath.Dir(filepath.Dir(path))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building rung: %w\n%s", err, out)
	}
	return os.Setenv(install.BinaryVar, path)
}

// phases are how long things took, for the end of the output.
var phases timings

type timings struct {
	mu   sync.Mutex
	rows []string
}

// phase notes the time until the returned function is called.
func phase(t testing.TB, what string) (done func()) {
	began := time.Now()
	return func() {
		took := time.Since(began)
		phases.mu.Lock()
		defer phases.mu.Unlock()
		phases.rows = append(phases.rows, fmt.Sprintf("%8.2fs  %-28s %s", took.Seconds(), t.Name(), what))
	}
}

func (p *timings) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Printf("\n== phases\n%s\n", strings.Join(p.rows, "\n"))
}

// demo is the built-in example cluster on a real API server, shared by the tests
// that only look.
var demo struct {
	once    sync.Once
	cluster *cluster.Cluster
	err     error
}

// refused is the file of the demo that no API server takes: its policies are
// there to be broken.
const refused = "15-broken.yaml"

// nodes are the demo's.
var nodes = []string{"ovn-control-plane", "ovn-worker", "ovn-worker2"}

// demoCluster returns the shared demo.
func demoCluster(t *testing.T) *cluster.Cluster {
	t.Helper()
	demo.once.Do(func() {
		done := phase(t, "demo cluster: start and load")
		ctx := context.WithoutCancel(t.Context())
		demo.cluster, demo.err = cluster.New(ctx, cluster.Config{})
		if demo.err == nil {
			demo.err = demo.cluster.LoadFiles(ctx, troubled.Files, refused)
		}
		done()
	})
	must(t, demo.err)
	return demo.cluster
}

// start starts a cluster of the test's own, with nothing in it.
func start(t *testing.T, cfg cluster.Config) *cluster.Cluster {
	t.Helper()
	done := phase(t, "cluster: start")
	c, err := cluster.New(t.Context(), cfg)
	must(t, err)
	done()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the API server's log ends:\n%s", c.Log())
		}
		must(t, c.Close())
	})
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
