package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
	"rung/test/lab"
	"rung/test/uitest"
)

// The scripts run on a zone of real OVN with one ACL on its switch: $nb and $sb are its
// databases, $nbfile and $sbfile their files. "northd stop" and "northd cont" make its
// northd stand still, and go on; "alike" writes two ACLs that are.
func TestLabScripts(t *testing.T) {
	z, dir, end := lab.One(t)
	defer end()
	db, err := nbdb.Dial(nbdb.Config{Addr: z.NB(), AnyName: true}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// put writes ACLs on the switch, and waits for their flows.
	put := func(acls ...map[string]any) error {
		var ops []nb.Op
		for i, row := range acls {
			id := string(rune('a' + i))
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: id, Row: row},
				nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: db.SwitchByName("n1").UUID,
					Mutations: []nb.Mutation{{Column: "acls", Insert: true, Refs: []nb.Ref{{Name: id}}}}})
		}
		if err := z.Transact(t.Context(), ops...); err != nil {
			return err
		}
		_, err := z.WaitSynced(t.Context())
		return err
	}
	if err := put(map[string]any{"direction": "to-lport", "priority": 1001, "match": "ip4.dst == 10.9.9.9", "action": "drop",
		"log": true, "name": "mine", "severity": "info", "meter": nb.LoggingMeter, "tier": 2}); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "z*", "sb.db"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	for name, line := range map[string]string{"rows-flows": "rows --nb $nb --sb n1=$sb --flows", "zones-flows": "zones --nb $nb --sb n1=$sb --flows"} {
		var out, errs bytes.Buffer
		args := strings.Fields(strings.NewReplacer("$nb", z.NB(), "$sb", z.SB()).Replace(line) + " -o json --state-dir " + t.TempDir())
		code := runUntil(t.Context(), args, strings.NewReader(""), &out, &errs, nil)
		values, err := readValues(&out)
		if err != nil || len(values) == 0 {
			t.Fatalf("rung %s: exit %d, %v: %s", line, code, err, errs.String())
		}
		compareRecorded(t, "testdata/json", name, recordedAnswer{"rung " + line, code, values})
	}
	t.Run("scripts", func(t *testing.T) {
		testscript.Run(t, testscript.Params{Dir: "testdata/lab", UpdateScripts: *uitest.Update,
			Setup: func(env *testscript.Env) error {
				env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, ".state"))
				env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, ".config"))
				env.Setenv("XDG_RUNTIME_DIR", env.WorkDir)
				env.Setenv("HOME", env.WorkDir)
				env.Setenv("GORACE", "atexit_sleep_ms=0")
				env.Setenv("nb", z.NB())
				env.Setenv("sb", z.SB())
				env.Setenv("sbfile", found[0])
				env.Setenv("nbfile", strings.TrimSuffix(found[0], "sb.db")+"nb.db")
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits,
				"alike": func(ts *testscript.TestScript, _ bool, _ []string) {
					row := map[string]any{"direction": "to-lport", "priority": 900, "match": "ip4.dst == 10.9.9.8", "action": "drop", "tier": 2}
					ts.Check(put(row, row))
				},
				"northd": func(ts *testscript.TestScript, _ bool, args []string) {
					switch {
					case len(args) == 1 && args[0] == "stop":
						ts.Check(lab.Stop(z, sandbox.Northd))
						ts.Check(z.Transact(t.Context(), nb.Op{Kind: nb.OpUpdate, Table: nb.TableGlobal, UUID: db.Global().UUID,
							Row: map[string]any{"nb_cfg": int(time.Now().Unix() % 1e9)}}))
					case len(args) == 1 && args[0] == "cont":
						ts.Check(lab.Cont(z, sandbox.Northd))
					default:
						ts.Fatalf("usage: northd stop|cont")
					}
				}},
		})
	})
}
