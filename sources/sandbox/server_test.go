package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/servers"
	"rung/test/wait"
)

// log gathers what servers report.
type serverLog struct {
	mu   sync.Mutex
	list []string
}

func (l *serverLog) add(zone string, s State, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, zone+" "+string(s))
}

func (l *serverLog) has(want ...string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(strings.Join(l.list, ","), strings.Join(want, ","))
}

func soon(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(wait.Patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never %s", what)
		}
	}
}

// OVS's own tools work on both servers.
func TestTools(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server, ForeignRows: true})
		addr := s.Endpoints()["ovn-worker"]
		if out := tool(t, "ovsdb-client", "dump", addr, nb.Database, nb.TableACL); !strings.Contains(out, "UDNIsolation") {
			t.Error(out)
		}
		if out := tool(t, "ovsdb-client", "dump", addr, nb.Database); !strings.Contains(out, "Meter_Band table") {
			t.Error(out)
		}
		out := tool(t, "ovn-nbctl", "--db="+addr, "list", "acl")
		if !strings.Contains(out, `arp.spa == 10.244.0.2`) {
			t.Error(out)
		}
		out = tool(t, "ovsdb-client", "transact", addr, `["OVN_Northbound",{"op":"insert","table":"Address_Set","row":{"name":"x"}},
		  {"op":"comment","comment":"hello"},{"op":"wait","table":"Address_Set","where":[["name","==","x"]],"columns":["addresses"],"until":"==","rows":[{}],"timeout":0},
		  {"op":"mutate","table":"NB_Global","where":[],"mutations":[["nb_cfg","+=",2]]},
		  {"op":"select","table":"NB_Global","where":[["nb_cfg",">",1]],"columns":["nb_cfg","ipsec"]}]`)
		if !strings.Contains(out, `{"count":1},{"rows":[{"ipsec":false,"nb_cfg":2}]}]`) {
			t.Error(out)
		}
		tool(t, "ovn-nbctl", "--db="+addr, "set", "Address_Set", "x", "addresses=10.0.0.1")
		if db, err := nbdb.Dial(nbdb.Config{Addr: addr, AnyName: true}).Read(t.Context()); err != nil || strings.Join(db.AddressSetByName("x").Addresses, "") != "10.0.0.1" {
			t.Error(err)
		}
		if out := tool(t, "ovsdb-client", "get-schema-version", addr, nb.Database); strings.TrimSpace(out) != "7.3.0" {
			t.Error(out)
		}
	})
}

// SIGKILL in the middle of writes: the server comes back with what it
// acknowledged, and the connection with it.
func TestKill(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		var states serverLog
		s := start(t, Config{Server: server, OnServer: states.add})
		w := follow(t, s, "ovn-worker", nbdb.Config{})
		var done []string
		for i := range 60 {
			if i == 20 {
				if err := servers.Kill(s.Endpoints()["ovn-worker"]); err != nil {
					t.Fatal(err)
				}
			}
			name := fmt.Sprintf("set%d", i)
			for {
				_, err := w.conn.Transact(t.Context(), []nb.Op{{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": name}}})
				if err == nil {
					done = append(done, name)
					break
				}
				if errors.Is(err, model.ErrRejected) {
					break // the write whose outcome was unknown had worked
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		fresh, err := nbdb.Dial(nbdb.Config{Addr: s.Endpoints()["ovn-worker"], AnyName: true}).Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range done {
			if fresh.AddressSetByName(name) == nil {
				t.Errorf("%s was acknowledged and is gone", name)
			}
			if w.rows().AddressSetByName(name) == nil {
				t.Errorf("%s is not known", name)
			}
		}
		if fresh.Len() != w.rows().Len() {
			t.Errorf("%d rows followed, %d read", w.rows().Len(), fresh.Len())
		}
		if n := slices.IndexFunc(w.all, func(u model.ZoneUpdate) bool { return u.Conn == model.ConnLost }); n < 0 {
			t.Error("the loss was not told")
		}
		if server == ServerBuiltin {
			return // it does not die, but its listener
		}
		soon(t, "reported", func() bool {
			return states.has("ovn-worker running", "ovn-worker died", "ovn-worker running")
		})
	})
}

func TestDropConnections(t *testing.T) {
	s := start(t, Config{Server: ServerBuiltin})
	w := follow(t, s, "ovn-worker", nbdb.Config{})
	n := w.mark()
	if err := servers.Drop(s.Endpoints()["ovn-worker"]); err != nil {
		t.Fatal(err)
	}
	w.until("lost and synced again", func(all []model.ZoneUpdate, _ *nb.DB) bool {
		return len(all) >= n+2 && all[n].Conn == model.ConnLost && all[len(all)-1].Resync
	})
}

// A server that stands still is noticed, blocks nobody for long, and goes on
// where it was.
func TestStop(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server, Zones: []string{"a", "b"}})
		w := follow(t, s, "a", nbdb.Config{Probe: time.Second, TransactTimeout: time.Second, ConnectTimeout: time.Second})
		other := follow(t, s, "b", nbdb.Config{})
		if err := servers.Stop(s.Endpoints()["a"]); err != nil {
			t.Fatal(err)
		}
		// More than a socket takes: the writer must not hang either.
		big := make([]string, 100000)
		for i := range big {
			big[i] = fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255)
		}
		began := time.Now()
		_, err := w.conn.Transact(t.Context(), []nb.Op{{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "big", "addresses": big}}})
		if err == nil || errors.Is(err, model.ErrRejected) || time.Since(began) > wait.Patience/2 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		w.until("lost", func(all []model.ZoneUpdate, _ *nb.DB) bool {
			u := all[len(all)-1]
			return u.Conn == model.ConnLost && u.Attempts > 0 && strings.Contains(u.Error, "not answering for 1s")
		})
		other.transact(nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "there"}})
		if err := servers.Cont(s.Endpoints()["a"]); err != nil {
			t.Fatal(err)
		}
		w.until("synced", func(all []model.ZoneUpdate, _ *nb.DB) bool { return all[len(all)-1].Conn == model.ConnSynced })
		w.transact(nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "after"}})
	})
}

// A client that takes no data is cut off and holds nobody up meanwhile.
func TestStalledClient(t *testing.T) {
	s := start(t, Config{Server: ServerBuiltin, StallTimeout: time.Second})
	network, path, err := nbdb.ParseAddr(s.Endpoints()["ovn-worker"])
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial(network, path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	deaf := nbdb.NewRPCConn(c, time.Second)
	if err := deaf.Write(nbdb.RequestText(1, "monitor_cond", []byte(`["OVN_Northbound","m",{"Address_Set":{"columns":["name"]}}]`))); err != nil {
		t.Fatal(err)
	}
	if m, err := deaf.Read(); err != nil || string(m.Result) != "{}" {
		t.Fatalf("%s, %v", m.Result, err)
	}
	w := follow(t, s, "ovn-worker", nbdb.Config{})
	long := strings.Repeat("x", 4000)
	for i := range 200 {
		began := time.Now()
		w.transact(nb.Op{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": fmt.Sprint(long, i)}})
		if d := time.Since(began); d > wait.Patience/2 {
			t.Fatalf("a transaction took %v", d)
		}
	}
	b := s.zones["ovn-worker"].server.(*memServer)
	soon(t, "cut off", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(b.peers) == 2 // the sandbox's own and ours
	})
}

// Nonsense on the wire harms nobody but its sender.
func TestNonsense(t *testing.T) {
	s := start(t, Config{Server: ServerBuiltin})
	_, path, _ := nbdb.ParseAddr(s.Endpoints()["ovn-worker"])
	for _, params := range []string{
		`[]`, `{}`, `["x"]`, `["OVN_Northbound",1]`, `["OVN_Northbound",{"op":"insert"}]`, `["OVN_Northbound",{"op":"insert","table":"ACL","row":[]}]`,
		`["OVN_Northbound",{"op":"insert","table":"ACL","row":{"priority":"x"}}]`, `["OVN_Northbound",{"op":"insert","table":"ACL","row":{"external_ids":["set",["a"]]}}]`,
		`["OVN_Northbound",{"op":"update","table":"ACL","where":[["_uuid","==","x"]],"row":{}}]`, `["OVN_Northbound",{"op":"delete","table":"ACL","where":[["_uuid","==",["set",[]]]]}]`,
		`["OVN_Northbound",{"op":"mutate","table":"ACL","where":[],"mutations":[["tier","/=",0]]}]`, `["OVN_Northbound",{"op":"mutate","table":"Port_Group","where":[],"mutations":[["acls","insert",["map",[["a"]]]]]}]`,
		`["OVN_Northbound",{"op":"insert","table":"Port_Group","row":{"ports":["uuid"]}}]`, `["OVN_Northbound",{"op":"wait","table":"ACL"}]`, `["OVN_Northbound","m",{"ACL":null}]`, `["OVN_Northbound","m",{"ACL":{"columns":["x"]}}]`,
		`["OVN_Northbound",{"op":"insert","table":"Meter","row":{"name":"a","unit":"kbps"}}]`,
	} {
		for _, method := range []string{"transact", "monitor", "monitor_cond_since", "monitor_cancel", "get_schema", "frobnicate"} {
			c, err := net.Dial("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			rpc := nbdb.NewRPCConn(c, time.Second)
			if err := rpc.Write(nbdb.RequestText(1, method, []byte(params))); err != nil {
				t.Fatal(err)
			}
			if m, err := rpc.Read(); err != nil || string(m.ID) != "1" {
				t.Errorf("%s %s: %+v, %v", method, params, m, err)
			}
			c.Close()
		}
	}
	if db, err := nbdb.Dial(nbdb.Config{Addr: s.Endpoints()["ovn-worker"], AnyName: true}).Read(t.Context()); err != nil || db.Global() == nil {
		t.Error(err)
	}
}

func TestPods(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server, Zones: []string{"a", "b"}, ForeignRows: true})
		a, b := follow(t, s, "a", nbdb.Config{}), follow(t, s, "b", nbdb.Config{})
		host := pod("ns", "host", "a", "172.18.0.2")
		host.HostNetwork = true
		completed := pod("ns", "done", "a", "10.244.0.9")
		completed.Phase = "Succeeded"
		bare := pod("ns", "bare", "a")
		c := cluster(pod("ns", "one", "a", "10.244.0.5", "fd00::5"), host, completed, bare, pod("ns", "loose", ""), pod("ns", "far", "b", "10.244.1.5"))
		s.SetPods(c, nil)
		a.until("ports", func(_ []model.ZoneUpdate, db *nb.DB) bool {
			return db.PortByName("ns_one") != nil && db.PortByName("ns_bare") != nil
		})
		b.until("port", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_far") != nil })
		p := a.rows().PortByName("ns_one")
		if p.Addresses[0] != "0a:58:0a:f4:00:05 10.244.0.5 fd00::5" || p.ExternalIDs["namespace"] != "ns" || p.ExternalIDs["pod"] != "true" {
			t.Errorf("%+v", p)
		}
		if addr := a.rows().PortByName("ns_bare").Addresses[0]; len(addr) != len("0a:58:00:00:00:00") {
			t.Error(addr)
		}
		if sw := a.rows().SwitchByName("a"); len(sw.Ports) != 4 || !slices.Contains(sw.Ports, p.UUID) {
			t.Errorf("%+v", sw)
		}

		step := func(up []model.Object, gone ...model.Key) {
			var ch []model.Change
			c, ch = c.Upsert(up, gone)
			s.SetPods(c, ch)
		}
		// An address comes; the row stays the same one.
		was := a.rows().PortByName("ns_bare").UUID
		step([]model.Object{pod("ns", "bare", "a", "10.244.0.7")})
		a.until("address", func(_ []model.ZoneUpdate, db *nb.DB) bool {
			p := db.PortByName("ns_bare")
			return p != nil && p.UUID == was && p.Addresses[0] == "0a:58:0a:f4:00:07 10.244.0.7"
		})
		// A new pod of the same name has a port of its own.
		again := pod("ns", "bare", "a", "10.244.0.8")
		again.UID = "another"
		step([]model.Object{again})
		a.until("another row", func(_ []model.ZoneUpdate, db *nb.DB) bool {
			p := db.PortByName("ns_bare")
			return p != nil && p.UUID != was && strings.HasSuffix(p.Addresses[0], " 10.244.0.8")
		})
		// A delay, and completion.
		delay := func(d time.Duration) {
			s.pods.mu.Lock()
			defer s.pods.mu.Unlock()
			s.pods.delay = d
		}
		delay(150 * time.Millisecond)
		began := time.Now()
		ended := pod("ns", "one", "a", "10.244.0.5")
		ended.Phase = "Failed"
		step([]model.Object{ended})
		delay(0) // must not overtake
		step(nil, model.Key{Kind: model.KindPod, Namespace: "ns", Name: "far"})
		b.until("gone", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_far") == nil })
		a.until("gone", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_one") == nil })
		if d := time.Since(began); d < 150*time.Millisecond {
			t.Errorf("after %v", d)
		}
		// Pods that change while the server is away are not forgotten.
		if err := servers.Kill(s.Endpoints()["b"]); err != nil {
			t.Fatal(err)
		}
		step([]model.Object{pod("ns", "late", "b", "10.244.1.9")})
		b.until("late", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_late") != nil })
		// What is not a pod's port stays.
		s.SetPods(nil, nil)
		b.until("empty", func(_ []model.ZoneUpdate, db *nb.DB) bool { return db.PortByName("ns_late") == nil })
		if b.rows().PortByName("k8s-b") == nil {
			t.Error("the management port went, too")
		}
	})
}

func TestChoice(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "ovsdb-server")
	if err := os.WriteFile(broken, []byte("#!/bin/sh\necho no such luck >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Config{Zones: []string{"a"}, Dir: shortDir(t), Server: broken})
	if err == nil || !strings.Contains(err.Error(), "no such luck") {
		t.Error(err)
	}
	if _, err := Start(t.Context(), Config{Zones: []string{"a"}, Dir: shortDir(t), Server: "/nonexistent/ovsdb-server"}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	// Found, but broken: auto takes the built-in one and says why.
	t.Setenv("PATH", filepath.Dir(broken))
	s := start(t, Config{Server: ServerAuto})
	if s.Describe() != ServerBuiltin || s.Fallback() == nil || !strings.Contains(s.Fallback().Error(), "no such luck") {
		t.Error(s.Describe(), s.Fallback())
	}
	if _, err := nbdb.Dial(nbdb.Config{Addr: s.Endpoints()["ovn-worker"], AnyName: true}).Read(t.Context()); err != nil {
		t.Error(err)
	}
}

// The sandbox ends with its context.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := shortDir(t)
	s, err := Start(ctx, Config{Zones: []string{"a"}, Dir: dir, Server: ServerBuiltin})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	soon(t, "gone", func() bool { _, err := os.Stat(dir); return errors.Is(err, os.ErrNotExist) })
	s.Close()
}
