package nbdb

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/test/wait"
)

// southboundFile is a standalone file of a Southbound database.
func southboundFile(tb testing.TB, txns ...string) string {
	tb.Helper()
	raw, err := os.ReadFile("testdata/southbound.ovsschema")
	var v any
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		tb.Fatal(err)
	}
	raw, _ = json.Marshal(v)
	out := record(magicJSON, string(raw))
	for _, txn := range txns {
		out += record(magicJSON, txn)
	}
	return out
}

const (
	aclFlow = `{"Logical_Flow":{"` + fileUUID1 + `":{"pipeline":"egress","table_id":6,"priority":2001,"match":"1","actions":"next;",
		"external_ids":["map",[["stage-name","ls_out_acl_eval"],["stage-hint","0123abcd"]]]}},"_date":1700000000000}`
	otherFlow = `{"Logical_Flow":{"` + fileUUID2 + `":{"pipeline":"ingress","match":"x","external_ids":["map",[["stage-name","lr_in_admission"]]]}}}`
)

// A Southbound database file has the flows of the ACL stages; those of other stages come,
// change and go without a trace. The file of the other database is refused.
func TestReadSouthbound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sb.db")
	read := func(text string) (*Result, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadSouthbound(t.Context(), path, Options{})
	}
	r, err := read(southboundFile(t, aclFlow, otherFlow, `{"Logical_Flow":{"`+fileUUID2+`":{"match":"y"},"`+fileUUID1+`":{"priority":2002}},"_is_diff":true}`,
		`{"Logical_Flow":{"`+fileUUID2+`":null},"SB_Global":{"`+fileUUID2+`":{"nb_cfg":7}}}`))
	if err != nil || r.Truncated != nil || r.DB != nil || r.Schema != flow.Database || r.At.UnixMilli() != 1700000000000 {
		t.Fatalf("%+v, %v", r, err)
	}
	want := []*flow.LogicalFlow{{UUID: fileUUID1, Pipeline: flow.Egress, Table: 6, Priority: 2002, Match: "1", Actions: "next;", Stage: "ls_out_acl_eval", Hint: "0123abcd"}}
	if diff := cmp.Diff(want, slices.Collect(r.Flows.Flows())); diff != "" || r.Flows.Global().NbCfg != 7 {
		t.Errorf("flows (-want +got)\n%s%+v", diff, r.Flows.Global())
	}
	if r, err := read(southboundFile(t, aclFlow, `{"Chassis_Private":{"`+fileUUID2+`":null}}`)); err != nil || !errors.Is(r.Truncated, ErrContent) {
		t.Errorf("a chassis that was never there goes: %+v, %v", r, err)
	}
	if _, err := read(smallFile(nil)); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), `another database than OVN_Southbound: "OVN_Northbound"`) {
		t.Error(err)
	}
	if _, err := readNorthbound(t.Context(), strings.NewReader(southboundFile(t)), "f", Options{}); !errors.Is(err, ErrOther) ||
		!strings.Contains(err.Error(), `another database than OVN_Northbound: "OVN_Southbound"`) {
		t.Error(err)
	}
}

// The file is followed: not there, there, with another record, gone.
func TestSouthboundFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sb.db")
	ctx, cancel := context.WithCancel(t.Context())
	updates, done := make(chan SouthboundUpdate, 100), make(chan struct{})
	go func() {
		defer close(done)
		NewSouthbound(ZoneConfig{Path: path, Poll: time.Millisecond}).Run(ctx, func(u SouthboundUpdate) { updates <- u })
	}()
	defer func() { cancel(); <-done }()
	next := func() (u SouthboundUpdate) {
		t.Helper()
		select {
		case u = <-updates:
		case <-time.After(wait.Patience):
			t.Fatal("no update")
		}
		return u
	}
	if a, b := next(), next(); a.Conn != model.ConnDialling || b.Conn != model.ConnLost || !strings.Contains(b.Error, path) {
		t.Errorf("no file: %+v, %+v", a, b)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path+"~", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
	}
	text := southboundFile(t, aclFlow)
	write(text)
	if u := next(); u.Conn != model.ConnReadOnly || u.Server != "file" || u.At.UnixMilli() != 1700000000000 || u.DB.Row(flow.TableFlow, fileUUID1) == nil {
		t.Errorf("the file: %+v", u)
	}
	write(text + record(magicJSON, `{"Logical_Flow":{"`+fileUUID1+`":null}}`))
	if u := next(); u.DB == nil || u.DB.Row(flow.TableFlow, fileUUID1) != nil {
		t.Errorf("with another record: %+v", u)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if u := next(); u.Conn != model.ConnLost || u.DB != nil {
		t.Errorf("gone: %+v", u)
	}
}

func FuzzReadSouthbound(f *testing.F) {
	f.Add(aclFlow + "\n" + otherFlow)
	f.Add(`{"Logical_Flow":{"` + fileUUID1 + `":null},"_is_diff":true}`)
	f.Add(`{"Logical_DP_Group":{"` + fileUUID1 + `":{"datapaths":["uuid","x"]}},"Chassis_Private":{"` + fileUUID2 + `":{"nb_cfg":"x"}}}`)
	schema := southboundFile(f)
	f.Fuzz(func(t *testing.T, text string) {
		in := schema
		for line := range strings.Lines(text) {
			in += record(magicJSON, line)
		}
		for _, in := range []string{in, text, schema + text} {
			r, err := readFrom(t.Context(), strings.NewReader(in), "f", Options{Limits: Limits{Expanded: 4 << 20, Record: 1 << 20}}, southboundKind())
			if err != nil {
				continue
			}
			for f := range r.Flows.Flows() {
				if !flow.IsACLStage(f.Stage) {
					t.Errorf("a flow of stage %q was kept", f.Stage)
				}
			}
		}
	})
}

// The Southbound file stands beside the Northbound one, under the names of a must-gather
// and of a container.
func TestSouthboundBeside(t *testing.T) {
	for addr, want := range map[string]string{
		"file:mg/ovnkube-node-x_nbdb":                          "file:mg/ovnkube-node-x_sbdb",
		"file:mg/a_nbdb/leader_nbdb.gz":                        "file:mg/a_nbdb/leader_sbdb.gz",
		"file:etc/ovnnb_db.db":                                 "file:etc/ovnsb_db.db",
		"file:mg/ovnk_database_store.tar.gz!store/node-1_nbdb": "file:mg/ovnk_database_store.tar.gz!store/node-1_sbdb",
		"file:ovnnb_db.db":                                     "file:ovnsb_db.db",
		"file:mg_nbdb/other.db":                                "",
	} {
		if got := SouthboundPath(addr); got != want {
			t.Errorf("%s: %q, want %q", addr, got, want)
		}
	}
}
