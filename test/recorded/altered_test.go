package recorded

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"rung/cli"
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
