//go:build linux

package e2e_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rung/model"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/servers"
)

// Lengths of an attack: in the suite, and with RUNG_SOAK=1.
const (
	attackShort = 12 * time.Second
	attackLong  = 5 * time.Minute
)

// attack is one random run against the databases of a cluster: everything that
// happens is drawn from one seed, and counted by kind.
type attack struct {
	*cluster
	r     *rand.Rand
	sb    *sandbox.Sandbox
	w     *run
	dir   string // of copies of database files
	until time.Time

	stopped map[string]time.Time // servers that stand still, until then
	full    map[string]time.Time // servers whose disk is full, until then
	wrong   map[string]bool      // zones whose file is another zone's
	counts  map[string]int
	// disowned are rows whose external_ids were damaged, by zone and UUID.
	disowned map[string]bool
	refused  int // damage that no server took: it was away just then
}

// TestAttack damages databases in every way that hands and disks do while Rung
// keeps the rows: servers are killed, stopped, out of disk, their files cut, put back
// and swapped, rows damaged in every column, policies changed. In the end the rows
// are what `rung compile` says, for all that Rung writes, and what it does not write
// is named.
func TestAttack(t *testing.T) {
	length := attackShort
	if os.Getenv(install.SoakVar) == "1" {
		length = attackLong
	}
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("RUNG_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("RUNG_SEED=%s: %v", s, err)
		}
	}
	t.Logf("seed %d (RUNG_SEED=%d repeats its choices)", seed, seed)
	a := &attack{cluster: familyCluster(t, attackPolicies[0], tier2), r: rand.New(rand.NewPCG(seed, 1)), dir: memory(t),
		stopped: map[string]time.Time{}, full: map[string]time.Time{}, wrong: map[string]bool{}, counts: map[string]int{}, disowned: map[string]bool{}}
	a.sb = a.zonesOn(a.program())
	ovsdb.Transact(t, a.address("n3"), foreigners()...)
	before := marked(ovsdb.Dump(t, a.address("n3")))
	a.w = a.writer()
	a.calm("at the start")
	for _, z := range zoneNames {
		a.keep(z, "first")
	}
	a.until = time.Now().Add(length)
	for time.Now().Before(a.until) {
		a.step()
	}
	a.heal()
	a.calm("in the end")
	for _, z := range zoneNames {
		wrong, left := a.judge(z, a.compiled(z))
		if wrong != "" {
			t.Errorf("zone %s: (-compiled +dumped)\n%s", z, wrong)
		}
		a.counts["left over, and named"] += left
	}
	if err := a.w.Health().Ready(); err != nil {
		t.Error(err)
	}
	if after := marked(ovsdb.Dump(t, a.address("n3"))); after != before {
		t.Errorf("rows of others changed:\n%s\nto\n%s", before, after)
	}
	a.report(seed)
}

// attackPolicies are what the policies change between.
var attackPolicies = func() []string {
	rules := []string{"in Allow team=green TCP:80", "in Deny *", "out Allow 10.0.0.0/8 UDP:53", "out Deny team=red"}
	two := anp("two", 50, "team=red", "out Allow team=ops http", "out Deny *")
	base := banp("*", "in Deny team=red", "out Allow team=ops")
	return []string{
		anp("one", 10, "team=blue", rules...) + two + base,
		anp("one", 11, "team=blue", rules[:3]...) + two + base,
		anp("one", 10, "team=blue", rules...) + anp("three", 70, "*", "in Pass team=ops") + base,
	}
}()

// program is an ovsdb-server to which a write that its file may not hold is an
// error, as it is on a full disk, and no signal.
func (a *attack) program() string {
	path := filepath.Join(a.dir, "ovsdb-server")
	text := "#!/bin/sh\ntrap '' XFSZ\nexec " + install.Server(a.t, "ovsdb-server") + " \"$@\"\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// count counts something by what it is.
func (a *attack) count(what string) { a.counts[what]++ }

// step does one thing.
func (a *attack) step() {
	zone := zoneNames[a.r.IntN(len(zoneNames))]
	for z, at := range a.stopped {
		if time.Now().After(at) {
			a.carryOn(z)
		}
	}
	for z, at := range a.full {
		if time.Now().After(at) {
			a.empty(z)
		}
	}
	n := a.r.IntN(100)
	if _, still := a.stopped[zone]; still && n < 90 {
		time.Sleep(5 * time.Millisecond)
		return // nothing answers there
	}
	switch {
	case n < 4:
		a.must(servers.Kill(a.sb.Endpoints()[zone]))
		a.count("server killed")
	case n < 7:
		if servers.Stop(a.sb.Endpoints()[zone]) == nil { // it may be on its way back
			a.stopped[zone] = time.Now().Add(time.Duration(100+a.r.IntN(6000)) * time.Millisecond)
			a.count("server stopped")
		}
	case n < 10:
		a.fill(zone)
	case n < 14:
		a.swap(zone)
	case n < 17:
		a.keep(zone, "later")
	case n < 20:
		a.write("policies.yaml", attackPolicies[a.r.IntN(len(attackPolicies))]+tier2)
		a.count("policies changed")
	case n < 22:
		time.Sleep(time.Duration(a.r.IntN(1500)) * time.Millisecond)
	default:
		a.damage(zone)
	}
}

func (a *attack) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func (a *attack) carryOn(zone string) {
	delete(a.stopped, zone)
	for range 100 { // a server that was killed meanwhile comes back running
		if servers.Cont(a.sb.Endpoints()[zone]) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	a.t.Fatalf("no server of zone %s", zone)
}

// limit bounds how large files of a zone's server may grow.
func (a *attack) limit(zone string, most uint64) bool {
	for _, p := range serversIn(a.t, a.sockets) {
		if strings.Contains(p.command, "/"+zone+".sock ") {
			return unix.Prlimit(p.pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: unix.RLIM_INFINITY}, nil) == nil
		}
	}
	return false
}

// fill lets the disk be full for a server: a few bytes are left.
func (a *attack) fill(zone string) {
	fi, err := os.Stat(a.file(zone))
	a.must(err)
	if a.limit(zone, uint64(fi.Size())+uint64(a.r.IntN(300))) {
		a.full[zone] = time.Now().Add(time.Duration(200+a.r.IntN(4000)) * time.Millisecond)
		a.count("disk filled")
	}
}

func (a *attack) empty(zone string) {
	delete(a.full, zone)
	a.limit(zone, unix.RLIM_INFINITY) // a server that came back meanwhile has no limit
}

func (a *attack) file(zone string) string { return filepath.Join(a.sockets, zone+".db") }

// keep keeps a copy of a zone's file.
func (a *attack) keep(zone, when string) {
	if a.wrong[zone] {
		return
	}
	text, err := os.ReadFile(a.file(zone))
	a.must(err)
	a.must(os.WriteFile(filepath.Join(a.dir, zone+"-"+when), text, 0o600))
}

// put puts a file in the place of a zone's and kills the server, which goes on with
// it.
func (a *attack) put(zone string, text []byte) {
	temp := filepath.Join(a.dir, "next")
	a.must(os.WriteFile(temp, text, 0o600))
	a.must(os.Rename(temp, a.file(zone)))
	a.must(servers.Kill(a.sb.Endpoints()[zone]))
}

// swap puts another file in the place of a zone's: an older one of its own, its own
// without the end, an empty one, or another zone's. The last zone keeps what is in
// its own.
func (a *attack) swap(zone string) {
	if zone == "n3" {
		return
	}
	how := []string{"its own from the start", "an older one of its own", "its own cut", "an empty one", "another zone's"}[a.r.IntN(5)]
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(a.dir, name))
		if os.IsNotExist(err) {
			return nil
		}
		a.must(err)
		return text
	}
	var text []byte
	switch how {
	case "its own from the start":
		text = read(zone + "-first")
	case "an older one of its own":
		text = read(zone + "-later")
	case "its own cut":
		now, err := os.ReadFile(a.file(zone))
		a.must(err)
		// Without its schema no server starts, and an empty one has little else.
		text = now[:max(schemaEnd(a.t, now), len(now)-a.r.IntN(min(2000, len(now)/4)))]
	case "an empty one":
		first := read(zone + "-first")
		text = first[:schemaEnd(a.t, first)]
	case "another zone's":
		text = read("n3-first")
	}
	if text == nil || a.wrong[zone] && how == "its own cut" {
		return
	}
	a.wrong[zone] = how == "another zone's"
	a.put(zone, text)
	a.count("file swapped: " + how)
}

// schemaEnd is where the first record of a database file ends: that much is an
// empty database.
func schemaEnd(t testing.TB, file []byte) int {
	t.Helper()
	head, _, _ := strings.Cut(string(file), "\n")
	words := strings.Fields(head)
	if len(words) != 4 || words[0] != "OVSDB" {
		t.Fatalf("no database file begins with %q", head)
	}
	size, err := strconv.Atoi(words[2])
	if err != nil {
		t.Fatal(err)
	}
	return len(head) + 1 + size
}

// heal ends every fault.
func (a *attack) heal() {
	for _, zone := range zoneNames {
		if _, stopped := a.stopped[zone]; stopped {
			a.carryOn(zone)
		}
		a.empty(zone)
		if a.wrong[zone] {
			text, err := os.ReadFile(filepath.Join(a.dir, zone+"-first"))
			a.must(err)
			a.put(zone, text)
			a.wrong[zone] = false
		}
	}
}

// calm waits until everything that Rung writes is written.
func (a *attack) calm(when string) {
	a.t.Helper()
	a.w.untilWithin(2*time.Minute, "in sync "+when, func(r *revision.Revision) bool {
		if !r.Loaded || len(r.Zones) != len(zoneNames) {
			return false
		}
		for _, z := range r.Zones {
			if z.Conn != model.ConnSynced || z.Paused != "" || z.Pending > 0 || z.Policies == nil {
				return false
			}
			for _, k := range slices.Concat(revision.ZonePolicies(r, z), r.Units()) {
				in := z.PolicyJoin(k)
				if in == nil && k.Kind == model.KindNetpolNode {
					continue // another zone's
				}
				if in == nil || in.NotComparable || in.None == nil && (in.Missing+in.Extra+in.Different > in.Blocked || in.Waiting > 0) {
					return false
				}
				for i := range in.Diffs {
					if in.Diffs[i].Kind == model.DiffMissing {
						return false // the row it hangs on is being made
					}
				}
			}
		}
		return true
	})
}

// report prints what was done.
func (a *attack) report(seed uint64) {
	var b strings.Builder
	damaged, other := 0, 0
	for _, what := range slices.Sorted(maps.Keys(a.counts)) {
		fmt.Fprintf(&b, "%6d %s\n", a.counts[what], what)
		if strings.HasPrefix(what, "damage: ") {
			damaged += a.counts[what]
		} else {
			other += a.counts[what]
		}
	}
	repairs := 0
	for _, act := range a.w.Activity(0) {
		if act.By == "reconciler" && act.Error == "" {
			repairs++
		}
	}
	a.t.Logf("seed %d: %d rows damaged (%d more found no server), %d other faults and changes; the activity has %d writes\n%s",
		seed, damaged, a.refused, other, repairs, b.String())
}
