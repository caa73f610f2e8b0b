package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/install"
)

// Server is an ovsdb-server of its own with an empty Northbound database. Unlike
// those of the sandbox it does not give way to others, and nobody else is
// connected to it.
type Server struct {
	zone, dir string
	pid       int
	cmd       *exec.Cmd
	hold      io.Closer // the server ends when it is closed, or this process is gone
}

// readyWithin is how long a server may take to listen.
const readyWithin = 10 * time.Second

// guard runs a program until standard input ends, and says its pid first.
const guard = `"$@" </dev/null >&2 & echo $!; read -r _; kill -9 $!; wait`

// StartServer starts a server for a zone.
func StartServer(ctx context.Context, zone string) (*Server, error) {
	return startServer(ctx, zone, func(file string) error {
		root, err := install.Root()
		if err != nil {
			return err
		}
		schema := filepath.Join(root, "sources", "sandbox", "ovn-nb.ovsschema")
		if out, err := exec.CommandContext(ctx, "ovsdb-tool", "create", file, schema).CombinedOutput(); err != nil {
			return fmt.Errorf("creating the database: %w: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	})
}

// Copy starts another server with the same rows under the same UUIDs. Nobody may be
// writing to the first.
func (s *Server) Copy(ctx context.Context) (*Server, error) {
	return startServer(ctx, s.zone, func(file string) error {
		rows, err := os.ReadFile(s.file())
		if err != nil {
			return fmt.Errorf("copying the database: %w", err)
		}
		return os.WriteFile(file, rows, 0o600)
	})
}

// startServer starts a server on the database that create makes.
func startServer(ctx context.Context, zone string, create func(file string) error) (_ *Server, err error) {
	s := &Server{zone: zone}
	if s.dir, err = os.MkdirTemp(memoryDir(), "rung-bench-"); err != nil { // short: it holds sockets
		return nil, fmt.Errorf("starting an ovsdb-server: %w", err)
	}
	if err = create(s.file()); err == nil {
		err = s.start(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting an ovsdb-server: %w", err), s.Close())
	}
	return s, nil
}

// file is the database's.
func (s *Server) file() string { return filepath.Join(s.dir, "nb.db") }

func (s *Server) start(ctx context.Context) error {
	s.cmd = exec.Command("/bin/sh", "-c", guard, "sh", "ovsdb-server",
		"-vconsole:warn", "-vsyslog:off", "-vfile:off", "--no-chdir",
		"--unixctl="+filepath.Join(s.dir, "ctl"), "--remote=punix:"+filepath.Join(s.dir, "nb"), s.file())
	s.cmd.Dir, s.cmd.Stderr = s.dir, os.Stderr
	s.cmd.Env = append(os.Environ(), "OVS_RUNDIR="+s.dir)
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.hold = in
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	if s.pid, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		c, err := s.dial(ctx)
		if err == nil {
			return c.Close()
		}
		if ctx.Err() != nil {
			return fmt.Errorf("it does not listen: %w", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (s *Server) dial(ctx context.Context) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "unix", filepath.Join(s.dir, "nb"))
}

// Addr is the server's address.
func (s *Server) Addr() string { return "unix:" + filepath.Join(s.dir, "nb") }

// Close ends the server and removes its database; a second time it does nothing.
func (s *Server) Close() error {
	var err error
	if s.hold != nil {
		err = s.hold.Close()
		_ = s.cmd.Wait() // killed
		s.hold = nil
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// portsAtOnce is how many ports one transaction of Seed makes.
const portsAtOnce = 2000

// Seed writes what OVN-Kubernetes has written before a policy comes: the zone's
// name, its switch, the cluster groups of networks, and the ports of the zone's pods, on every network.
func (s *Server) Seed(ctx context.Context, pods []*model.Pod, groups []string, networks *network.Table) error {
	c := nbdb.Dial(nbdb.Config{Name: s.zone, Addr: s.Addr(), Tables: []string{nb.TableGlobal}})
	ctx, cancel := context.WithCancel(ctx)
	synced, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		c.Run(ctx, func(u model.ZoneUpdate) {
			if u.Resync {
				close(synced)
			}
		})
	}()
	defer func() { cancel(); <-done }()
	select {
	case <-synced:
	case <-ctx.Done():
		return fmt.Errorf("seeding the database: %w", ctx.Err())
	}
	res, err := c.Transact(ctx, []nb.Op{
		{Kind: nb.OpInsert, Table: nb.TableGlobal, Row: map[string]any{"name": s.zone}},
		{Kind: nb.OpInsert, Table: nb.TableSwitch, Row: map[string]any{"name": s.zone}},
	})
	for part := range slices.Chunk(pods, portsAtOnce) {
		if err != nil {
			break
		}
		var ops []nb.Op
		var refs []nb.Ref
		for i, p := range part {
			if p.NodeName != s.zone {
				continue
			}
			name := fmt.Sprint("p", i)
			ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePort, UUIDName: name,
				Row: map[string]any{"name": nb.PortName(p.Namespace, p.Name)}})
			refs = append(refs, nb.Ref{Name: name})
		}
		_, err = c.Transact(ctx, append(ops, nb.Op{Kind: nb.OpMutate, Table: nb.TableSwitch, UUID: res[1].UUID,
			Mutations: []nb.Mutation{{Column: "ports", Insert: true, Refs: refs}}}))
	}
	if err == nil {
		ops := networkOps(networks, s.zone, pods)
		for _, name := range groups {
			ops = append(ops, clusterGroupOp(name))
		}
		_, err = c.Transact(ctx, ops)
	}
	if err != nil {
		return fmt.Errorf("seeding the database: %w", err)
	}
	return nil
}

// networkOps insert what OVN-Kubernetes makes in a zone of networks besides the default one: their
// switches and the ports of the pods.
func networkOps(t *network.Table, zone string, pods []*model.Pod) (ops []nb.Op) {
	for i, name := range t.Names() {
		n := t.Network(name)
		var refs []nb.Ref
		for j, p := range pods {
			on := t.PodOn(n, p)
			if on == nil || p.NodeName != zone {
				continue
			}
			for _, port := range on.PortNames() {
				uuid := fmt.Sprintf("p%d_%d", i, j)
				ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TablePort, UUIDName: uuid, Row: map[string]any{"name": port}})
				refs = append(refs, nb.Ref{Name: uuid})
			}
		}
		ops = append(ops, nb.Op{Kind: nb.OpInsert, Table: nb.TableSwitch, Row: map[string]any{"name": n.Switch(zone), "ports": refs}})
	}
	return ops
}

// clusterGroups are the networks, the default one as "", whose port group of all nodes has rows of
// NetworkPolicies.
func clusterGroups(c *model.Cluster, networks *network.Table) (names []string) {
	for p := range c.Policies(model.KindNP) {
		if at, _ := networks.Place(p.Namespace); at == network.OnDefault {
			names = append(names, "")
			break
		}
	}
	return append(names, networks.Names()...)
}

// clusterGroupOp inserts the port group of all nodes on a network.
func clusterGroupOp(network string) nb.Op {
	return nb.Op{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{
		"name":         compiler.GroupHolder(network, nb.OwnerCluster, nb.GroupCluster).Name,
		"external_ids": nb.IDs(nb.ControllerName(network), nb.OwnerCluster, nb.IDPair{Key: nb.KeyName, Value: nb.GroupCluster})}}
}
