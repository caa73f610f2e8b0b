//go:build unix

package timing

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/change/write"
	"rung/engine"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/sources/acllog"
	"rung/sources/kube"
	"rung/test/given/troubled"
	"rung/test/install"
	"rung/test/term"
	"rung/ui"
	"rung/ui/nav"
)

// floodVar makes the test binary the console on the demo's policies with a flood of log
// lines behind it. It is a file: what became of the lines is written there.
const floodVar = "RUNG_TEST_FLOOD"

// floodSeconds is how long the flood lasts.
const floodSeconds = "RUNG_TEST_FLOOD_SECONDS"

// floodRate is how many lines come each second.
const floodRate = 10_000

func TestMain(m *testing.M) {
	if path := os.Getenv(floodVar); path != "" {
		if err := flood(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// flood opens the log of the demo's policies and pours lines into it.
func flood(path string) error {
	took, err := strconv.ParseFloat(os.Getenv(floodSeconds), 64)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	dir := filepath.Dir(path)
	e, err := engine.New(ctx, engine.Config{
		Mode:    revision.Mode{Name: "demo", Title: "demo", Sandbox: true, Simulated: true},
		Sources: []kube.Source{write.NewFiles(write.FileOptions{Demo: troubled.Files})}, StateDir: dir, Screen: true,
	})
	if err != nil {
		cancel()
		return err
	}
	done := make(chan error, 1)
	go func() { done <- pour(ctx, e, path, time.Duration(took*float64(time.Second))) }()
	err = ui.Run(ctx, e, ui.Options{Page: nav.NewPage(nav.Logs), StateDir: dir})
	cancel()
	poured := <-done
	e.Close()
	if err == nil {
		err = poured
	}
	return err
}

// pour offers lines, first a burst for which there is no room, and notes how many were
// offered and how many refused.
func pour(ctx context.Context, e *engine.Engine, path string, took time.Duration) error {
	if err := e.WaitFor(ctx, func(r *revision.Revision) bool { return r.Loaded }); err != nil {
		return err
	}
	var pods []netip.Addr
	for p := range e.Revision().Cluster.Pods() {
		if len(p.IPs) > 0 {
			pods = append(pods, netip.MustParseAddr(p.IPs[0]))
		}
	}
	policies := []string{"quarantine", "break-glass", "cluster-control"}
	sent, refused := 0, 0
	next := func(i int) logline.Line {
		l := logline.Line{At: time.Now().UTC(), Zone: "ovn-worker", Seq: uint64(i), Verdict: "drop", Severity: "alert", Direction: "to-lport",
			Name:  logline.ACLName(model.PolicyKey{Kind: model.KindANP, Name: policies[i%len(policies)]}, model.Ingress, 0),
			Proto: "tcp", Src: pods[i%len(pods)], Dst: pods[(i*7+3)%len(pods)], SrcPort: 40000, DstPort: uint16(1 + i%5000)}
		l.Raw = acllog.Format(l)
		return l
	}
	offer := func(l logline.Line) {
		sent++
		if !e.Logs().Offer(l) {
			refused++
		}
	}
	burst := make([]logline.Line, 8*floodRate) // made before, so that nothing keeps up with it
	for i := range burst {
		burst[i] = next(i)
	}
	for i := range burst {
		offer(burst[i])
	}
	begin := time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for poured := 0; time.Since(begin) < took; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			due := int(time.Since(begin).Seconds() * floodRate)
			for ; poured < due; poured++ {
				offer(next(sent))
			}
		}
	}
	return os.WriteFile(path, fmt.Appendf(nil, "%d %d", sent, refused), 0o600)
}

// flooded is a console into whose log lines are poured.
type flooded struct {
	*term.Driver
	t    *testing.T
	path string
}

func openFlood(t *testing.T, seconds int) *flooded {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := &flooded{t: t, path: filepath.Join(t.TempDir(), "poured")}
	f.Driver = term.Start(t, term.Options{Path: path, Env: []string{floodVar + "=" + f.path, floodSeconds + "=" + strconv.Itoa(seconds)}, Width: 120, Height: 34})
	f.WaitFor("● follow", "by rule")
	return f
}

// poured are the lines that were offered and those that were refused, once all were.
func (f *flooded) poured() (sent, refused int, ended bool) {
	b, err := os.ReadFile(f.path)
	if err != nil {
		return 0, 0, false
	}
	if n, _ := fmt.Sscan(string(b), &sent, &refused); n != 2 {
		return 0, 0, false
	}
	return sent, refused, true
}

// agrees waits until the page says how many lines were lost, and that all others are
// counted.
func (f *flooded) agrees() {
	f.t.Helper()
	f.WaitUntil("every line was poured", func(*term.Frame) bool { _, _, ended := f.poured(); return ended })
	sent, refused, _ := f.poured()
	if refused == 0 {
		f.t.Error("not one of the lines was refused: nothing is tested")
	}
	lost := words.Thousands(refused) + " lines lost: too fast for Rung"
	f.WaitUntil(lost+", and the others are counted", func(fr *term.Frame) bool {
		return strings.Contains(fr.Text(), lost) && countedLines(fr) == sent-refused
	})
}

// underCursor is the line the cursor is on; the list moves under it.
func underCursor(f *term.Frame) string {
	if y := cursor(f); y >= 0 {
		return f.Line(y)
	}
	return ""
}

// countedLines adds up the lines of all rules that ever came: "quarantine ingress 0: 12 of 34".
func countedLines(f *term.Frame) (sum int) {
	for y := range f.Height {
		line := f.Line(y)
		for _, policy := range []string{"quarantine", "break-glass", "cluster-control"} {
			_, rest, ok := strings.Cut(line, policy+" ingress 0")
			if !ok || !strings.Contains(rest, ": ") {
				continue
			}
			_, rest, _ = strings.Cut(rest, ": ")
			fields := strings.Fields(rest)
			number := fields[0]
			if len(fields) > 2 && fields[1] == "of" {
				number = fields[2]
			}
			if n, err := strconv.Atoi(strings.ReplaceAll(number, ",", "")); err == nil {
				sum += n
			}
		}
	}
	return sum
}

// TestFlood: more lines come than can be taken in; what the page says is lost is what was
// refused, all others are counted, and every key is answered meanwhile.
func TestFlood(t *testing.T) {
	f := openFlood(t, 3)
	f.Press("space").WaitFor("○ paused")
	f.Press("/").WaitFor("esc clear")
	f.Type("policy:quarantine not port:1-9")
	f.WaitFor("/policy:quarantine not port:1-9 ", "match")
	f.Press("esc").WaitGone("/policy:quarantine")
	f.Press("B").WaitFor("single lines")
	for tries := 0; ; tries++ { // a question takes no keys in the moment in which it appears
		_, err := f.LatencyUntil("s", "groups", func(fr *term.Frame) bool { return strings.Contains(fr.Text(), "PER S") }, time.Second)
		if err == nil {
			break
		}
		if tries == 60 {
			t.Fatal(err)
		}
	}
	f.WaitFor("SOURCE", "by source")
	f.Press("z").WaitGone("PER S")
	f.Press("G").WaitFor("● follow")
	f.agrees()
}

// TestTimingFlood: with 10,000 lines a second a key shows within 50 ms at p99, and
// memory does not grow with the lines that came. With TIMING=strict it lasts 30 s.
func TestTimingFlood(t *testing.T) {
	slack := time.Duration(install.Timing(t))
	seconds := 10
	if slack == 1 {
		seconds = 30
	}
	f := openFlood(t, seconds)
	var took []time.Duration
	of := map[string][]time.Duration{} // by what was waited for
	press := func(key, what string, shows func(*term.Frame) bool) {
		d, err := f.LatencyUntil(key, what, shows, 20*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		took, of[what] = append(took, d), append(of[what], d)
		time.Sleep(15 * time.Millisecond)
	}
	has := func(text string) func(*term.Frame) bool {
		return func(f *term.Frame) bool { return strings.Contains(f.Text(), text) }
	}
	for _, _, ended := f.poured(); !ended; _, _, ended = f.poured() {
		press("space", "the page stands still", has("○ paused"))
		for range 5 {
			was := underCursor(f.Terminal.Frame())
			press("k", "the cursor moves", func(fr *term.Frame) bool { l := underCursor(fr); return l != "" && l != was })
		}
		typed := ""
		press("/", "a filter is asked for", has("esc clear"))
		for _, r := range "12.*dropped" { // nothing of it is offered before it is typed
			typed += string(r)
			press(string(r), "what was typed", has("/"+typed))
		}
		press("esc", "no filter", func(fr *term.Frame) bool { return !strings.Contains(fr.Text(), "esc clear") })
		press("G", "the page follows", has("● follow"))
	}
	f.agrees()
	for _, what := range slices.Sorted(maps.Keys(of)) {
		each := of[what]
		slices.Sort(each)
		t.Logf("%s: %d keys, median %v, max %v", what, len(each), each[len(each)/2], each[len(each)-1])
	}
	report(t, "a key with 10,000 lines a second", took, slack, 50*time.Millisecond)
	rss := memory(t, f.Pid())
	t.Logf("%d keys in %d s; memory of the process: %d MB", len(took), seconds, rss>>20)
	if most := 250 << 20; slack == 1 && rss > most {
		t.Errorf("memory %d MB, more than %d", rss>>20, most>>20)
	}
}
