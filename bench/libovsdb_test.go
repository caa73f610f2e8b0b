package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ovn-kubernetes/libovsdb/client"

	"rung/bench/workload"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/sources/nbdb/second"
)

// followerVar says what a process of this test follows zones with.
const followerVar = "RUNG_BENCH_FOLLOWER"

func TestMain(m *testing.M) {
	follow := followers[os.Getenv(followerVar)]
	if follow == nil {
		os.Exit(m.Run())
	}
	if err := follower(context.Background(), follow, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// BenchmarkFollow is 20 zones of W2 read and then followed, by Rung's client and by
// libovsdb's with its cache, each in a process of its own that does nothing else
// and has the same rows in the end: CPU until all are read, what is kept then, and
// CPU for an update that puts a pod into 85 sets of every zone, or takes it out.
func BenchmarkFollow(b *testing.B) {
	size, updates := workload.W2, 20
	if testing.Short() {
		size, updates = workload.Size{Namespaces: 20, Pods: 400, Policies: 10, Rules: 10, Peers: 2, Seed: 2}, 4
	}
	size.Nodes = 20
	c := cluster(b, size)
	ctx, cancel := context.WithTimeout(b.Context(), 20*time.Minute)
	defer cancel()
	server := replay(b, ctx, c)
	var zones []string
	for n := range c.Nodes() {
		zones = append(zones, n.Name)
	}
	for b.Loop() {
		ours := measureFollower(b, ctx, server, "rung", zones, updates)
		alone := measureFollower(b, ctx, server, "rung unshared", zones, updates)
		theirs := measureFollower(b, ctx, server, "libovsdb", zones, updates)
		for _, f := range []followed{alone, theirs} {
			if f.Counts != ours.Counts || f.Digest != ours.Digest || f.Counts.ACLs == 0 {
				b.Fatalf("they have other rows: %+v, %+v", ours, f)
			}
		}
		report := func(what, unit string, of func(f followed) float64) {
			b.ReportMetric(of(ours), "rung-"+what+"-"+unit)
			b.ReportMetric(of(theirs), "libovsdb-"+what+"-"+unit)
			b.ReportMetric(of(theirs)/of(ours), what+"-ratio")
			b.ReportMetric(of(theirs)/of(alone), what+"-ratio-unshared")
		}
		report("read-cpu", "s", func(f followed) float64 { return f.Read.Seconds() })
		report("update-cpu", "ms", func(f followed) float64 { return f.Update.Seconds() * 1e3 / float64(updates) })
		report("heap", "MB", func(f followed) float64 { return f.Heap })
		report("peak", "MB", func(f followed) float64 { return f.Peak })
	}
}

// followed is what a process tells when it has all rows, and again when it has all
// updates.
type followed struct {
	Read, Update time.Duration // CPU
	Heap, Peak   float64       // MB: live after a collection, and the most the process had
	Counts       Counts
	Digest       uint64 // of sets and their members
}

// measureFollower lets a process follow the zones.
func measureFollower(b *testing.B, ctx context.Context, server *Replay, who string, zones []string, updates int) (f followed) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), followerVar+"="+who)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	said := json.NewDecoder(out)
	err = tellFollower(in, said, server, zones, updates, &f)
	if err := errors.Join(err, in.Close(), cmd.Wait()); err != nil {
		b.Fatalf("%s: %v", who, err)
	}
	return f
}

func tellFollower(in io.Writer, said *json.Decoder, server *Replay, zones []string, updates int, f *followed) error {
	for _, zone := range zones {
		if _, err := fmt.Fprintln(in, zone, server.Addr(zone)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(in, "updates", updates); err != nil {
		return err
	}
	if err := said.Decode(f); err != nil {
		return err
	}
	for i := range updates {
		if err := server.Toggle(85, i); err != nil {
			return err
		}
	}
	return said.Decode(f)
}

// zoneRows are the rows of a zone that somebody follows.
type zoneRows interface {
	updates() int // how many came
	count(c *Counts, digest *uint64)
}

var followers = map[string]func(ctx context.Context, zone, addr string) (zoneRows, error){
	"rung":          followByRung(nbdb.NewSharing()), // as in the console: zones share what is equal
	"rung unshared": followByRung(nil),
	"libovsdb":      followByLibovsdb,
}

// follower is the process: it reads the zones' names and addresses, one after the
// other, and tells what that cost.
func follower(ctx context.Context, follow func(ctx context.Context, zone, addr string) (zoneRows, error), in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	var zones []zoneRows
	updates := 0
	for lines.Scan() {
		zone, addr, _ := strings.Cut(lines.Text(), " ")
		if zone == "updates" {
			if _, err := fmt.Sscan(addr, &updates); err != nil {
				return err
			}
			break
		}
		rows, err := follow(ctx, zone, addr)
		if err != nil {
			return err
		}
		zones = append(zones, rows)
	}
	f := followed{Read: processCPU(), Heap: liveHeap(), Peak: peakRSS()}
	tell := json.NewEncoder(out)
	if err := tell.Encode(f); err != nil {
		return err
	}
	ended := make(chan struct{}) // the other end has what it wants, or is gone
	go func() {
		defer close(ended)
		for lines.Scan() {
		}
	}()
	before := processCPU()
	for _, rows := range zones {
		for rows.updates() < updates {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-ended:
				return errors.New("nobody sends updates any more")
			}
		}
	}
	f.Update = processCPU() - before
	for _, rows := range zones {
		rows.count(&f.Counts, &f.Digest)
	}
	if err := tell.Encode(f); err != nil {
		return err
	}
	<-ended
	return nil
}

// addSet adds a set to a digest that does not depend on the order of sets.
func addSet(digest *uint64, uuid string, members []string) {
	h := fnv.New64a()
	_, _ = io.WriteString(h, uuid)
	for _, m := range slices.Sorted(slices.Values(members)) {
		_, _ = io.WriteString(h, " "+m)
	}
	*digest += h.Sum64()
}

// updateOf is the number of the update that NB_Global shows, see Replay.Toggle.
func updateOf(ids map[string]string) (n int) {
	_, _ = fmt.Sscan(ids[ToggleKey], &n) // 0 before the first
	return n
}

type rungZone struct {
	mu sync.Mutex
	db *nb.DB
}

func followByRung(share *nbdb.Sharing) func(ctx context.Context, zone, addr string) (zoneRows, error) {
	return func(ctx context.Context, zone, addr string) (zoneRows, error) {
		z := &rungZone{}
		synced := make(chan struct{})
		failed := make(chan string, 1)
		go nbdb.Dial(nbdb.Config{Name: zone, Addr: addr, Share: share}).Run(ctx, func(u model.ZoneUpdate) {
			z.mu.Lock()
			defer z.mu.Unlock()
			switch first := z.db == nil; {
			case u.DB != nil:
				z.db = u.DB
				if first {
					close(synced)
				}
			case u.Error != "":
				select {
				case failed <- u.Error:
				default:
				}
			}
		})
		select {
		case <-synced:
			return z, nil
		case why := <-failed:
			return nil, errors.New(why)
		}
	}
}

func (z *rungZone) rows() *nb.DB {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.db
}

func (z *rungZone) updates() int { return updateOf(z.rows().Global().ExternalIDs) }

func (z *rungZone) count(c *Counts, digest *uint64) {
	db := z.rows()
	for r := range db.ACLs() {
		c.add(r, 1)
	}
	for r := range db.AddressSets() {
		c.add(r, 1)
		addSet(digest, r.UUID, r.Addresses)
	}
	for r := range db.PortGroups() {
		c.add(r, 1)
	}
}

type libovsdbZone struct{ client.Client }

func followByLibovsdb(ctx context.Context, _, addr string) (zoneRows, error) {
	c, err := second.Dial(ctx, addr)
	return libovsdbZone{c}, err
}

func (z libovsdbZone) updates() int {
	for _, r := range z.Cache().Table(nb.TableGlobal).RowsShallow() {
		return updateOf(r.(*second.NBGlobal).ExternalIDs)
	}
	return 0
}

func (z libovsdbZone) count(c *Counts, digest *uint64) {
	for range z.Cache().Table(nb.TableACL).RowsShallow() {
		c.ACLs++
	}
	for _, r := range z.Cache().Table(nb.TableAddressSet).RowsShallow() {
		s := r.(*second.AddressSet)
		c.Sets, c.Members = c.Sets+1, c.Members+len(s.Addresses)
		addSet(digest, s.UUID, s.Addresses)
	}
	for _, r := range z.Cache().Table(nb.TablePortGroup).RowsShallow() {
		g := r.(*second.PortGroup)
		c.Groups, c.Links, c.Ports = c.Groups+1, c.Links+len(g.ACLs), c.Ports+len(g.Ports)
	}
}
