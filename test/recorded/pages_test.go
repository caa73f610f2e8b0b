package recorded

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change/write"
	"rung/cli"
	"rung/cli/command"
	"rung/engine"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/uitest"
	"rung/test/wait"
	"rung/ui"
	"rung/ui/nav"
)

// node is the node whose rows are altered.
const node = "ovn-worker"

// alteration is one row of a recorded database that somebody changed by hand.
type alteration struct {
	table, owner, controller, uuid string
	how, column                    string
	value                          any // of the column; the row is gone without a column
}

// String names the alteration in the output of tests.
func (a alteration) String() string {
	return fmt.Sprintf("%s of %s of %s %s", a.table, a.owner, a.controller, a.how)
}

// isCompiled reports whether Rung compiles rows of the owner, and so finds what differs.
func (a alteration) isCompiled() bool {
	return !slices.Contains([]string{"UDNIsolation", "UDNEnabledService"}, a.owner)
}

// alterations returns what is changed, one at a time: each table, owner type and network, each way.
func alterations(t *testing.T, file string) (out []alteration) {
	t.Helper()
	rows := ownedRows(t, file)
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		part := strings.Fields(key)
		a := alteration{table: part[0], owner: part[1], controller: part[2], uuid: rows[key]}
		changed := a
		changed.how, changed.column, changed.value = "changed", "match", "ip4.src == 192.0.2.1"
		switch a.table {
		case "Address_Set":
			changed.column, changed.value = "addresses", "192.0.2.1"
		case "Port_Group":
			changed.column, changed.value = "acls", []any{"set", []any{}}
		}
		gone := a
		gone.how = "gone"
		out = append(out, changed, gone)
	}
	return out
}

// write writes a copy of a database file with the alteration.
func (a alteration) write(t *testing.T, file string) string {
	t.Helper()
	if a.column == "" {
		return altered(t, file, a.table, a.uuid, "", nil)
	}
	return altered(t, file, a.table, a.uuid, a.column, a.value)
}

// readRevision returns what an engine makes of the objects and the databases, once every row is judged.
func readRevision(t *testing.T, objects string, databases map[string]string) *revision.Revision {
	t.Helper()
	cfg := engine.Config{Mode: revision.Mode{Name: revision.FilesMode, Title: objects}, NB: map[string]string{},
		Sources: []kube.Source{write.NewFiles(write.FileOptions{Paths: []string{objects}})}}
	for name, file := range databases {
		cfg.NB[name] = "file:" + file
	}
	e, err := engine.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	settled := command.ZonesSettled()
	if err := e.WaitFor(ctx, func(r *revision.Revision) bool { return r.Loaded && len(r.Zones) == len(databases) && settled(r) }); err != nil {
		t.Fatalf("the rows were never judged: %v", err)
	}
	return e.Revision()
}

// TestPagesOfAlteredRows: one row of each kind, on each kind of network, is altered or taken away. Every page of
// the console is shown, down to the row and the policy; none fails, and the zone is not in sync.
func TestPagesOfAlteredRows(t *testing.T) {
	objects, databases := cluster(t, "networks")
	pages := []nav.PageKind{nav.Ladder, nav.Findings, nav.Plan, nav.Matrix, nav.Logs, nav.Sessions, nav.Zones, nav.Rows, nav.Cluster, nav.Activity, nav.Omitted, nav.Messages}
	all := alterations(t, databases[node])
	owners, networks := map[string]bool{}, map[string]bool{}
	for i, a := range all {
		if testing.Short() && i%2 != (i/2)%2 { // changed and gone in turn
			continue
		}
		owners[a.owner], networks[a.controller] = true, true
		t.Run(a.String(), func(t *testing.T) {
			t.Parallel()
			r := readRevision(t, objects, map[string]string{node: a.write(t, databases[node])})
			differs := 0
			for k, p := range r.Zones[0].Policies {
				if len(p.Diffs) > 0 {
					differs++
					t.Logf("differs: %s, %d rows", k, len(p.Diffs))
				}
			}
			if (differs > 0) != a.isCompiled() {
				t.Errorf("%d units differ", differs)
			}
			facts := r.Facts
			f := uitest.NewFake(&facts)
			f.Advance(time.Since(uitest.Now))
			s := uitest.OpenWith(t, f, ui.Options{Page: nav.PageOf(nav.Ladder)})
			s.Resize(140, 40)
			show := func(page nav.Page, keys ...string) string {
				t.Helper()
				shown := uitest.OpenWith(t, f, ui.Options{Page: page})
				shown.Resize(140, 40)
				shown.Press(keys...)
				shown.WantNot("internal error")
				return shown.PlainFrame()
			}
			for _, page := range pages {
				show(nav.PageOf(page), "j", "enter")
			}
			show(nav.ToRow(node, a.table, a.uuid), "j")
			for k, p := range r.Zones[0].Policies {
				if len(p.Diffs) > 0 && r.Cluster.Policy(k) != nil {
					show(nav.ToPolicy(k), "tab", "tab", "tab", "tab")
				}
			}
			frame := show(nav.PageOf(nav.Zones))
			if strings.Contains(frame, "behind") != a.isCompiled() {
				t.Errorf("the zones page:\n%s", frame)
			}
		})
	}
	if len(owners) < 8 || len(networks) < 5 {
		t.Errorf("rows of %d owner types on %d networks were altered", len(owners), len(networks))
	}
	t.Logf("%d alterations, %d owner types, %d networks", len(all), len(owners), len(networks))
}

// TestCommandsOnAlteredRows: every command that reads rows answers over each alteration.
func TestCommandsOnAlteredRows(t *testing.T) {
	objects, databases := cluster(t, "networks")
	commands := []string{"report -o json", "zones --check", "zones -o json", "rows", "rows -o json", "ladder", "lint", "activity", "report -o markdown", "matrix"}
	for i, a := range alterations(t, databases[node]) {
		for j, command := range commands {
			if testing.Short() && j != i%len(commands) {
				continue
			}
			t.Run(a.String()+" "+command, func(t *testing.T) {
				t.Parallel()
				args := append(strings.Fields(command), "-f", objects, "--nb", node+"=file:"+a.write(t, databases[node]), "--state-dir", t.TempDir())
				var stdout, stderr bytes.Buffer
				if code := cli.Main(args, strings.NewReader(""), &stdout, &stderr, nil); code > 2 || strings.Contains(stderr.String(), "internal error") {
					t.Errorf("exit code %d\n%s", code, stderr.String())
				}
				seen := map[string]bool{}
				for line := range strings.Lines(stdout.String()) {
					if command == "zones --check" && seen[line] {
						t.Errorf("said twice: %s", line)
					}
					seen[line] = true
				}
				if command == "zones --check" && a.isCompiled() && !strings.Contains(stdout.String(), "zone-lags") {
					t.Errorf("no difference:\n%s%s", stdout.String(), stderr.String())
				}
			})
		}
	}
}
