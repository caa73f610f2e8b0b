package timing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/model"
	"rung/test/install"
)

// mostQuestions is how much memory the program may take to answer about a cluster of 10,000
// pods with 50 policies of 40 rules.
const mostQuestions = 300 << 20

// TestTimingVerdicts asks the program itself about a large cluster: 10,000 cases, by the rows
// too, the matrix of a port and of all, and the preview of an edit of one rule. Each is a
// process of its own that reads the cluster first. None may take more than 300 MB.
func TestTimingVerdicts(t *testing.T) {
	most := mostQuestions
	if install.Timing(t) > 1 { // the collector ends later where others have the cores
		most += most / 4
	}
	dir := t.TempDir()
	base, change, cases := filepath.Join(dir, "cluster.yaml"), filepath.Join(dir, "change.yaml"), filepath.Join(dir, "cases.json")
	var text bytes.Buffer
	if err := workload.Write(&text, workload.W2); err != nil {
		t.Fatal(err)
	}
	writeFile(t, base, text.Bytes())
	writeFile(t, change, edited(t, text.String()))
	writeFile(t, cases, questions(t))
	for _, args := range [][]string{
		{"trace", "--cases", cases, "-o", "json"},
		{"trace", "--cases", cases, "--by", "both", "-o", "json"},
		{"matrix", "--port", "80", "-o", "csv"},
		{"matrix", "-o", "csv"},
		{"preview", "--change", change, "-o", "json"},
	} {
		run := runProgram(t, append(args, "-f", base)...)
		name := strings.ReplaceAll(strings.Join(args, " "), dir+"/", "")
		t.Logf("%s: %s, with reading the cluster", name, run)
		if run.code > 1 {
			t.Errorf("%s: exit code %d\n%s", name, run.code, run.errors)
		}
		if run.peak > most {
			t.Errorf("%s: more than %d MB", name, most>>20)
		}
	}
}

func writeFile(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// edited is the first policy of a text with the action of one rule turned round.
func edited(t *testing.T, text string) []byte {
	for _, doc := range strings.Split(text, "---\n") {
		if strings.Contains(doc, "kind: AdminNetworkPolicy\n") && strings.Contains(doc, "action: Allow") {
			return []byte(strings.Replace(doc, "action: Allow", "action: Deny", 1))
		}
	}
	t.Fatal("no policy allows anything")
	return nil
}

// questions are 10,000 cases.
func questions(t *testing.T) []byte {
	rnd := rand.New(rand.NewPCG(7, 7))
	name := func() string {
		p := workload.Pod(workload.W2, rnd.IntN(workload.W2.Pods), model.Labels{})
		return p.Namespace + "/" + p.Name
	}
	var all []map[string]any
	for i := range 10_000 {
		all = append(all, map[string]any{"from": name(), "to": name(), "protocol": "TCP", "port": 8000 + i%100})
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// programRun is one run of the program: how it ended, what it printed on standard error, how long it
// took, the CPU time of all its threads, and its largest resident set in bytes.
type programRun struct {
	code, peak int
	took, cpu  time.Duration
	errors     string
}

func (r *programRun) String() string {
	return fmt.Sprintf("%v, %v of CPU, %d MB at most", r.took.Round(time.Millisecond), r.cpu.Round(10*time.Millisecond), r.peak>>20)
}

// runProgram runs the program without looking at its answer.
func runProgram(t *testing.T, args ...string) *programRun {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is read from /proc")
	}
	cmd := exec.Command(install.Binary(t), args...)
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.Discard, &stderr
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	status, r := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid), &programRun{}
	for {
		select {
		case <-done:
			r.took, r.cpu = time.Since(begun), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
			r.code, r.errors = cmd.ProcessState.ExitCode(), stderr.String()
			return r
		case <-time.After(10 * time.Millisecond):
			text, err := os.ReadFile(status)
			if err != nil {
				continue // it just ended
			}
			_, rest, _ := strings.Cut(string(text), "VmHWM:")
			var kb int
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				r.peak = max(r.peak, kb<<10)
			}
		}
	}
}
