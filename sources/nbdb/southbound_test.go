package nbdb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// rowID is a UUID that ends in a number.
func rowID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// Rows as a server sends them: at first, changed, gone, and some that Rung does not read.
func TestSouthboundChanges(t *testing.T) {
	d1, d2, group, row, other, chassis, global := rowID(1), rowID(2), rowID(3), rowID(4), rowID(5), rowID(6), rowID(7)
	first := `{"Datapath_Binding":{"` + d1 + `":{"initial":{"external_ids":["map",[["logical-switch","` + rowID(8) + `"],["name","n1"],["x","y"]]]}},
	  "` + d2 + `":{"initial":{"external_ids":["map",[["logical-router","` + rowID(9) + `"],["name","r"]]]}}},
	 "Logical_DP_Group":{"` + group + `":{"initial":{"datapaths":["set",[["uuid","` + d2 + `"],["uuid","` + d1 + `"]]]}}},
	 "Logical_Flow":{
	  "` + row + `":{"initial":{"logical_dp_group":["uuid","` + group + `"],"pipeline":"egress","table_id":6,"priority":27600,
	   "match":"reg8[30..31] == 1\u202e","actions":"next;","external_ids":["map",[["source","northd.c:7051"],["stage-hint","210da13b"],["stage-name","ls_out_acl_eval"]]]}},
	  "` + other + `":{"initial":{"pipeline":"ingress","match":"1","external_ids":["map",[["stage-name","lr_in_admission"]]]}},
	  "no uuid":{"initial":{"match":"1","external_ids":["map",[["stage-name","ls_out_acl_eval"]]]}}},
	 "Chassis_Private":{"` + chassis + `":{"initial":{"name":"n1","nb_cfg":4,"nb_cfg_timestamp":1700000000000}}},
	 "SB_Global":{"` + global + `":{"initial":{"nb_cfg":5}}},
	 "Port_Binding":{"` + rowID(10) + `":{"initial":{"logical_port":"p"}}}}`
	take := func(db *flow.DB, text string) *flow.DB {
		t.Helper()
		ch, err := southboundChanges([]byte(text), db)
		if err != nil {
			t.Fatal(err)
		}
		return db.Apply(ch)
	}
	db := take(nil, first)
	want := &flow.LogicalFlow{UUID: row, Group: group, Pipeline: flow.Egress, Table: 6, Priority: 27600, Match: "reg8[30..31] == 1\ufffd",
		Actions: "next;", Stage: "ls_out_acl_eval", Hint: "210da13b"}
	if diff := cmp.Diff([]*flow.LogicalFlow{want}, slices.Collect(db.Flows())); diff != "" {
		t.Errorf("flows (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]*flow.Datapath{{UUID: d1, Name: "n1", Switch: rowID(8)}, {UUID: d2, Name: "r"}}, db.FlowDatapaths(want)); diff != "" {
		t.Errorf("datapaths (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]*flow.Chassis{{UUID: chassis, Name: "n1", NbCfg: 4, Stamp: 1700000000000}}, slices.Collect(db.Chassis())); diff != "" {
		t.Errorf("chassis (-want +got)\n%s", diff)
	}
	// A set and a map hold what differs; a flow of another stage may change as it likes.
	db = take(db, `{"Logical_DP_Group":{"`+group+`":{"modify":{"datapaths":["uuid","`+d2+`"]}}},
	 "Logical_Flow":{"`+row+`":{"modify":{"logical_dp_group":["set",[]],"logical_datapath":["uuid","`+d1+`"],"external_ids":["map",[["stage-hint","ffffffff"],["source","northd.c:1"]]]}},
	  "`+other+`":{"modify":{"match":"0"}}},
	 "SB_Global":{"`+global+`":{"modify":{"nb_cfg":6}}}}`)
	want = &flow.LogicalFlow{UUID: row, Datapath: d1, Pipeline: flow.Egress, Table: 6, Priority: 27600, Match: want.Match, Actions: "next;",
		Stage: "ls_out_acl_eval", Hint: "ffffffff"}
	if diff := cmp.Diff([]*flow.LogicalFlow{want}, slices.Collect(db.Flows())); diff != "" {
		t.Errorf("flows after a change (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&flow.Group{UUID: group, Datapaths: []string{d1}}, db.Row(flow.TableGroup, group)); diff != "" {
		t.Errorf("group (-want +got)\n%s", diff)
	}
	if db.Global().NbCfg != 6 {
		t.Errorf("nb_cfg %d, want 6", db.Global().NbCfg)
	}
	db = take(db, `{"Logical_Flow":{"`+row+`":{"delete":null},"`+other+`":{"delete":null}}}`)
	if flows := slices.Collect(db.Flows()); len(flows) != 0 {
		t.Errorf("flows that went are there: %+v", flows)
	}
	for _, odd := range []string{
		`{"SB_Global":{"` + rowID(77) + `":{"modify":{"nb_cfg":6}}}}`,
		`{"Chassis_Private":{"` + rowID(77) + `":{"delete":null}}}`,
	} {
		if _, err := southboundChanges([]byte(odd), db); !errors.Is(err, errInconsistent) {
			t.Errorf("%s: %v, want %v", odd, err, errInconsistent)
		}
	}
	if _, err := southboundChanges([]byte(`{"Logical_Flow":{"`+rowID(78)+`":{"bogus":{}}}}`), db); err == nil {
		t.Error("an update of no known kind was taken")
	}
}

func FuzzSouthboundChanges(f *testing.F) {
	f.Add([]byte(`{"Logical_Flow":{"`+rowID(1)+`":{"initial":{"match":"1","external_ids":["map",[["stage-name","ls_out_acl_eval"]]]}}}}`),
		[]byte(`{"Logical_Flow":{"`+rowID(1)+`":{"modify":{"external_ids":["map",[["stage-name","x"]]]}}}}`))
	f.Add([]byte(`{"Logical_DP_Group":{"`+rowID(1)+`":{"insert":{"datapaths":["set",[]]}}}}`), []byte(`{"Logical_DP_Group":{"`+rowID(1)+`":{"delete":null}}}`))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var db *flow.DB
		for _, raw := range [][]byte{one, two} {
			ch, err := southboundChanges(raw, db)
			if err != nil {
				return
			}
			db = db.Apply(ch)
			for f := range db.Flows() {
				if !flow.IsACLStage(f.Stage) {
					t.Fatalf("a flow of stage %q was kept", f.Stage)
				}
				db.FlowDatapaths(f)
			}
		}
	})
}

// southboundServer runs a real ovsdb-server with a Southbound database.
func southboundServer(t *testing.T) (addr string) {
	t.Helper()
	dir := t.TempDir()
	db, sock := filepath.Join(dir, "sb.db"), filepath.Join(dir, "s")
	if out, err := exec.Command(install.Server(t, "ovsdb-tool"), "create", db, "testdata/southbound.ovsschema").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(install.Server(t, "ovsdb-server"), "--no-chdir", "--unixctl="+filepath.Join(dir, "c"), "-vconsole:off",
		"--remote=punix:"+sock, db)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	wait.Socket(t, sock)
	return "unix:" + sock
}

// counting counts what comes in.
type counting struct {
	net.Conn
	in *atomic.Int64
}

func (c counting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.in.Add(int64(n))
	return n, err
}

// transactSouthbound runs operations in one transaction.
func transactSouthbound(t *testing.T, addr string, ops ...string) {
	t.Helper()
	out := ovsdb.Client(t, "transact", addr, `["OVN_Southbound",`+strings.Join(ops, ",")+`]`)
	if bytes.Contains(out, []byte(`"error"`)) {
		t.Fatalf("%s", out)
	}
}

// A real server sends the flows of the ACL stages and none of the others, then what
// changes; a reader that comes later reads the same.
func TestSouthboundServer(t *testing.T) {
	addr := southboundServer(t)
	insert := func(stage, match string) string {
		return fmt.Sprintf(`{"op":"insert","table":"Logical_Flow","row":{"pipeline":"egress","table_id":6,"priority":1,"match":%q,
			"actions":"next;","external_ids":["map",[["stage-name",%q],["stage-hint","0123abcd"]]]}}`, match, stage)
	}
	const others = 3000
	var ops []string
	for i := range others {
		ops = append(ops, insert("lr_in_ip_routing", fmt.Sprintf("ip4.dst == 10.0.0.%d && %s", i, strings.Repeat("x", 60))))
		if len(ops) == 200 { // an argument of a program has an end
			transactSouthbound(t, addr, ops...)
			ops = nil
		}
	}
	for _, stage := range flow.ACLStages() {
		ops = append(ops, insert(stage, "1"))
	}
	transactSouthbound(t, addr, append(ops, `{"op":"insert","table":"SB_Global","row":{"nb_cfg":1}}`)...)

	var in atomic.Int64
	c := DialSouthbound(Config{Addr: addr, Dial: func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "unix", strings.TrimPrefix(addr, "unix:"))
		return counting{conn, &in}, err
	}})
	ctx, cancel := context.WithCancel(t.Context())
	updates := make(chan SouthboundUpdate, 100)
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx, func(u SouthboundUpdate) { updates <- u }) }()
	defer func() { cancel(); <-done }()
	until := func(what string, ok func(*flow.DB) bool) *flow.DB {
		t.Helper()
		for limit := time.After(wait.Patience); ; {
			select {
			case u := <-updates:
				if u.Conn == model.ConnSynced && ok(u.DB) {
					return u.DB
				}
			case <-limit:
				t.Fatalf("no database with %s", what)
			}
		}
	}
	count := func(db *flow.DB) int { _, n := db.Len(); return n }
	all := len(flow.ACLStages())
	until("the flows of the ACL stages", func(db *flow.DB) bool { return count(db) == all })
	if n := in.Load(); n > 40_000 {
		t.Errorf("%d bytes were sent for %d flows among %d: the conditions do not hold", n, all, all+others)
	}
	transactSouthbound(t, addr, insert("ls_out_acl_eval", "2"), insert("lr_in_ip_routing", "3"),
		`{"op":"update","table":"SB_Global","where":[],"row":{"nb_cfg":2}}`)
	until("one flow more", func(db *flow.DB) bool { return count(db) == all+1 && db.Global().NbCfg == 2 })
	transactSouthbound(t, addr, `{"op":"delete","table":"Logical_Flow","where":[["match","==","1"]]}`)
	db := until("one flow only", func(db *flow.DB) bool { return count(db) == 1 })
	again, err := DialSouthbound(Config{Addr: addr}).Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(slices.Collect(db.Flows()), slices.Collect(again.Flows())); diff != "" {
		t.Errorf("followed and read anew differ (-followed +read)\n%s", diff)
	}
	c.Resync()
	until("the same rows, read again", func(db *flow.DB) bool { return count(db) == 1 })
}

// What is asked for is what the server's schema has.
func TestSouthboundRequests(t *testing.T) {
	raw, err := json.Marshal(map[string]any{"version": "20.0", "tables": map[string]any{
		"SB_Global": map[string]any{"columns": map[string]any{"nb_cfg": 0}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := (*southboundSession)(nil).monitorRequest(raw); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "OVN_Southbound 20.0 has no table Chassis_Private") {
		t.Errorf("got %v", err)
	}
}
