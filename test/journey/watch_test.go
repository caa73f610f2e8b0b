//go:build unix

package journey_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// watch is an ovsdb-client that monitors the ACLs of one zone. Every transaction
// of the server is one line, and is judged on its own.
type watch struct {
	t    *testing.T
	zone string
	cmd  *exec.Cmd
	done chan struct{}

	mu      sync.Mutex
	judge   judge
	changes int
	first   string // what was wrong first
}

// follow starts watching, and returns when the first rows were seen.
func follow(t *testing.T, client, zone, socket string, start map[string]int) *watch {
	t.Helper()
	w := &watch{t: t, zone: zone, done: make(chan struct{}), judge: judge{start: start, rows: map[string]map[string]int{}}}
	w.cmd = exec.Command(client, "-f", "json", "monitor", "unix:"+socket, "OVN_Northbound", "ACL", "external_ids,priority")
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatalf("watching zone %s: %v", zone, err)
	}
	go func() {
		defer close(w.done)
		w.read(out)
	}()
	t.Cleanup(func() { w.stop() })
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		w.mu.Lock()
		seen := len(w.judge.rows)
		w.mu.Unlock()
		if seen == len(start) {
			return w
		}
	}
	t.Fatalf("zone %s: ovsdb-client shows %d policies, want %d", zone, len(w.judge.rows), len(start))
	return nil
}

func (w *watch) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		w.take(lines.Bytes())
	}
}

// take reads one transaction: rows of [uuid, what, external_ids, priority]. A
// changed row is an "old" line with its UUID and a "new" one without.
func (w *watch) take(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var in struct{ Data [][4]json.RawMessage }
	if err := json.Unmarshal(line, &in); err != nil {
		w.fault(fmt.Sprintf("unreadable: %v: %s", err, line))
		return
	}
	uuid := ""
	for _, cells := range in.Data {
		r := record{"uuid": cells[0], "what": cells[1], "external_ids": cells[2], "priority": cells[3]}
		if id := r.atom("uuid"); id != "" {
			uuid = id
		}
		what := r.atom("what")
		if what == "old" {
			continue
		}
		policy := r.ids()["k8s.ovn.org/name"]
		if _, ours := w.judge.start[policy]; !ours {
			continue
		}
		if what == "delete" {
			delete(w.judge.rows[policy], uuid)
			continue
		}
		var p int
		if err := json.Unmarshal(cells[3], &p); err != nil {
			w.fault(fmt.Sprintf("priority %s: %v", cells[3], err))
		}
		if w.judge.rows[policy] == nil {
			w.judge.rows[policy] = map[string]int{}
		}
		w.judge.rows[policy][uuid] = p
	}
	w.changes++
	if bad := w.judge.wrong(); bad != "" {
		w.fault(bad)
	}
}

func (w *watch) fault(what string) {
	if w.first == "" {
		w.first = fmt.Sprintf("transaction %d: %s", w.changes, what)
	}
}

// reaches waits until the policies decide at the given priorities.
func (w *watch) reaches(want map[string]int) {
	w.t.Helper()
	var at map[string]int
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		at = w.now()
		if maps.Equal(at, want) {
			return
		}
	}
	w.t.Errorf("zone %s: the policies decide at %v, want %v", w.zone, at, want)
}

// now is where the policies decide; it fails when something was wrong so far.
func (w *watch) now() map[string]int {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first != "" {
		w.t.Fatalf("zone %s: %s", w.zone, w.first)
	}
	at, _ := w.judge.at()
	return at
}

// stop ends the watch, and says what was seen.
func (w *watch) stop() string {
	_ = w.cmd.Process.Kill()
	<-w.done
	_ = w.cmd.Wait() // it was killed
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first != "" {
		w.t.Errorf("zone %s: %s", w.zone, w.first)
		w.first = ""
	}
	return fmt.Sprintf("zone %s: %d transactions seen by ovsdb-client", w.zone, w.changes)
}
