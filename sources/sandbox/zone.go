package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// The names of a zone's processes, for Daemons and Control.
const (
	NBServer   = "nb ovsdb-server"
	SBServer   = "sb ovsdb-server"
	VSServer   = "vswitch ovsdb-server"
	Northd     = "ovn-northd"
	Controller = "ovn-controller"
	VSwitchd   = "ovs-vswitchd"
)

// zoneProcesses lists the processes in starting order, with their file names.
var zoneProcesses = []struct{ name, file string }{
	{NBServer, dbNB}, {SBServer, dbSB}, {VSServer, dbVS},
	{VSwitchd, "vswitchd"}, {Northd, "northd"}, {Controller, "controller"},
}

// Daemon is the current state of a zone's process.
type Daemon struct {
	Name  string
	State State
	Err   error // why the last one ended, with its last line
	Since time.Time
	Pid   int // 0 if none runs
}

// Zone is a node: its databases, daemons and ports.
type Zone struct {
	cfg        ZoneConfig
	lab        *Lab
	dir        string
	ownsFolder bool // the zone made the folder
	log        string

	procs  map[string]*Process
	nb, vs *tableReplica
	topo   *zoneTopology

	mu        sync.Mutex
	states    map[string]Daemon
	askedAt   map[string]time.Time // when a silent process was asked
	lateFault *model.Fault         // OVN did not start

	reporting sync.Mutex // held while faults are reported, to keep their order
	faults    []model.Fault

	control controlSockets
	bridge  zoneBridge
	packets packetsUnderWay

	cancel context.CancelFunc
	wg     sync.WaitGroup

	up              chan struct{} // closed when all processes run, or upErr has the reason
	upErr           error
	backgroundStart sync.WaitGroup // the background start
	cancelStart     context.CancelFunc
}

func newZone(l *Lab, cfg ZoneConfig, dir string) (*Zone, error) {
	topo, err := newTopology(cfg)
	if err != nil {
		return nil, fmt.Errorf("zone %s: %w", cfg.Name, err)
	}
	z := &Zone{cfg: cfg, lab: l, dir: dir, log: filepath.Join(dir, controllerLog), topo: topo,
		askedAt: map[string]time.Time{}, procs: map[string]*Process{}, states: map[string]Daemon{}, up: make(chan struct{})}
	z.packets.zone, z.packets.awaitedAnswers = z, map[uint32]chan struct{}{}
	z.control.zone, z.control.clients = z, map[string]*socketClient{}
	z.bridge.zone, z.bridge.ports = z, map[string]*bridgePort{}
	for _, n := range zoneProcesses {
		z.states[n.name] = Daemon{Name: n.name, State: Died, Since: time.Now()}
		z.procs[n.name] = NewProcess(ChildConfig{Zone: cfg.Name, Name: n.name, Socket: z.filePath(n.file + ".ctl"), Guard: l.guard,
			Command: func() *exec.Cmd { return z.daemonCommand(n.name, n.file) },
			Report:  func(s State, err error) { z.reportState(n.name, s, err) }})
	}
	z.nb = newReplica(z.filePath(dbNB+".sock"), nb.Database, map[string][]string{
		nb.TablePort:    {"name", "type", "addresses", "options", "up"},
		nb.TableGlobal:  {"nb_cfg", "sb_cfg", "hv_cfg"},
		nb.TableSwitch:  {"name", "ports", "external_ids"},
		TableRouter:     {"name", "external_ids"},
		TableRouterPort: {"name", "mac", "networks"},
	})
	z.vs = newReplica(z.filePath(dbVS+".sock"), "Open_vSwitch", map[string][]string{
		"Interface":    {"name", "ofport", "external_ids"},
		"Port":         {"name"},
		"Bridge":       {"name"},
		"Open_vSwitch": {"cur_cfg", "next_cfg"},
	})
	return z, nil
}

func (z *Zone) filePath(name string) string { return filepath.Join(z.dir, name) }

func (z *Zone) socketAddress(db string) string { return "unix:" + z.filePath(db+".sock") }

// Name returns the zone's name.
func (z *Zone) Name() string { return z.cfg.Name }

// NB returns the address of the Northbound database.
func (z *Zone) NB() string { return z.socketAddress(dbNB) }

// SB returns the address of the Southbound database.
func (z *Zone) SB() string { return z.socketAddress(dbSB) }

// LogFile returns the path of ovn-controller's log, with its acl_log lines. ovn-controller appends to it, so
// readers may truncate a long log.
func (z *Zone) LogFile() string { return z.log }

// daemonCommand returns the command of a process in the foreground: a background process would outlive its
// parent.
func (z *Zone) daemonCommand(name, file string) *exec.Cmd {
	args := []string{"--no-chdir", "-vsyslog:off", "-vconsole:warn", "--unixctl=" + z.filePath(file+".ctl")}
	if name != Controller {
		args = append(args, "-vfile:off")
	}
	program := "ovsdb-server"
	switch name {
	case NBServer, SBServer, VSServer:
		args = append(args, "--remote=p"+z.socketAddress(file), z.filePath(file+".db"))
	case VSwitchd:
		program = "ovs-vswitchd"
		args = append(args, "--enable-dummy=override", "--disable-system", z.socketAddress(dbVS))
	case Northd:
		program = "ovn-northd"
		args = append(args, "--ovnnb-db="+z.NB(), "--ovnsb-db="+z.SB())
	case Controller:
		program = "ovn-controller"
		args = append(args, "--log-file="+z.log, z.socketAddress(dbVS))
	}
	cmd, _ := z.lab.tools.CommandContext(context.Background(), program, args...) // FindTools has its path
	cmd.Dir = z.dir
	cmd.Env = os.Environ()
	for _, v := range []string{"OVS_RUNDIR", "OVN_RUNDIR", "OVS_LOGDIR", "OVN_LOGDIR", "OVS_DBDIR", "OVN_DBDIR", "OVS_SYSCONFDIR",
		"OVN_SYSCONFDIR"} {
		cmd.Env = append(cmd.Env, v+"="+z.dir)
	}
	return cmd
}

// Start starts the zone. It returns once the Northbound database has its first rows. The rest starts in the
// background; WaitReady waits for it, and WaitSynced until the first rows are flows.
func (z *Zone) Start(ctx context.Context) error {
	if err := os.Mkdir(z.dir, 0o700); err != nil {
		return fmt.Errorf("making the folder of zone %s: %w", z.cfg.Name, err)
	}
	z.ownsFolder = true
	for _, db := range []string{dbNB, dbSB, dbVS} {
		from := z.lab.tools.schemas[db]
		schema, err := os.ReadFile(from)
		if err == nil {
			err = createDatabase(z.filePath(db+".db"), schema, from)
		}
		if err != nil {
			return fmt.Errorf("creating the database %s of zone %s: %w", db, z.cfg.Name, err)
		}
	}
	if err := z.procs[NBServer].Start(ctx); err != nil {
		return err
	}
	var life context.Context
	life, z.cancel = context.WithCancel(context.Background())
	z.wg.Go(func() { z.nb.followDatabase(life) })
	err := z.nb.waitKnown(ctx)
	if err == nil {
		err = z.writeOps(ctx, z.topo.seedOps())
	}
	if err != nil {
		return fmt.Errorf("the first rows of zone %s: %w", z.cfg.Name, err)
	}
	rise, cancel := context.WithCancel(life)
	z.cancelStart = cancel
	z.backgroundStart.Go(func() {
		z.upErr = z.startBelow(rise, life)
		close(z.up)
		if z.upErr != nil && rise.Err() == nil {
			z.mu.Lock()
			z.lateFault = &model.Fault{Process: "OVN", State: "did not start", Since: model.Stamp{Time: time.Now()},
				Error: words.CleanText(z.upErr.Error())}
			z.mu.Unlock()
			z.reportFaults()
		}
	})
	return nil
}

// writeOps writes to the Northbound database.
func (z *Zone) writeOps(ctx context.Context, ops []nb.Op) error {
	params, err := nbdb.Encode(ops)
	if err == nil {
		_, err = z.nb.transactRaw(ctx, params)
	}
	return err
}

// startBelow starts the programs that turn rows into flows, and their databases.
func (z *Zone) startBelow(ctx, life context.Context) error {
	if err := z.startPatiently(ctx, SBServer, VSServer); err != nil {
		return err
	}
	z.wg.Go(func() { z.vs.followDatabase(life) })
	if err := z.writeBridgeRows(ctx); err != nil {
		return err
	}
	// ovn-controller waits a second if it finds no bridge.
	if err := z.startPatiently(ctx, VSwitchd, Northd); err != nil {
		return err
	}
	if err := z.vs.waitUntil(ctx, func() bool { return z.bridge.currentCfg() > 0 }); err != nil {
		return fmt.Errorf("the bridge of zone %s: %w", z.cfg.Name, err)
	}
	if err := z.startPatiently(ctx, Controller); err != nil {
		return err
	}
	z.wg.Go(func() { z.bridge.plugPorts(life) })
	z.wg.Go(func() { z.watchDaemons(life) })
	return nil
}

// writeBridgeRows writes the first rows of the vswitch database, exactly once: a server that died during the
// write may have committed them.
func (z *Zone) writeBridgeRows(ctx context.Context) error {
	for {
		err := z.vs.waitKnown(ctx)
		known := err == nil
		if tables, _, _ := z.vs.currentRows("Open_vSwitch"); known && len(tables[0]) == 0 {
			_, err = z.vs.runTransaction(ctx, z.bridge.firstRows()...)
		}
		switch {
		case err == nil:
			return nil
		case !known, errors.Is(err, errRefused), !retry.Sleep(ctx, startAgain):
			return fmt.Errorf("the bridge of zone %s: %w", z.cfg.Name, err)
		}
	}
}

// WaitReady waits until every process of the zone has answered once, and returns the reason if one cannot.
func (z *Zone) WaitReady(ctx context.Context) error {
	select {
	case <-z.up:
		return z.upErr
	case <-ctx.Done():
		return fmt.Errorf("zone %s: waiting for its processes: %w", z.cfg.Name, ctx.Err())
	}
}

// waitReadyAndSynced waits until the zone's processes run and its rows are flows.
func (z *Zone) waitReadyAndSynced(ctx context.Context) error {
	err := z.WaitReady(ctx)
	if err == nil {
		_, err = z.WaitSynced(ctx)
	}
	return err
}

// startPatiently starts processes in parallel. It waits while their supervisors restart dead or slow ones.
func (z *Zone) startPatiently(ctx context.Context, which ...string) error {
	errs := make([]error, len(which))
	var wg sync.WaitGroup
	for i, name := range which {
		wg.Go(func() { errs[i] = z.procs[name].Start(ctx) })
	}
	wg.Wait()
	err := errors.Join(errs...)
	for err != nil && ctx.Err() == nil {
		up := true
		for _, name := range which {
			z.mu.Lock()
			d := z.states[name]
			z.mu.Unlock()
			if d.State == Died && d.Err == nil && z.procs[name].Pid() == 0 {
				return err // it could not be started at all
			}
			up = up && d.State == Running
		}
		if up {
			return nil
		}
		z.reportFaults() // report the slow start
		if !retry.Sleep(ctx, startAgain) {
			return err
		}
	}
	return err
}

// startAgain is the wait between two checks of slow processes.
const startAgain = 20 * time.Millisecond

func (z *Zone) reportState(name string, s State, err error) {
	z.mu.Lock()
	d := Daemon{Name: name, State: s, Err: err, Since: time.Now()}
	if was := z.states[name]; was.State == s && was.Err != nil {
		d.Since = was.Since // the restarted one failed too
	}
	z.states[name] = d
	z.mu.Unlock()
	z.lab.cfg.OnDaemon(z.cfg.Name, d)
	z.reportFaults()
}

// Daemons returns the current states of the zone's processes, in starting order.
func (z *Zone) Daemons() []Daemon {
	out := make([]Daemon, 0, len(zoneProcesses))
	z.mu.Lock()
	for _, n := range zoneProcesses {
		out = append(out, z.states[n.name])
	}
	z.mu.Unlock()
	for i := range out {
		out[i].Pid = z.procs[out[i].Name].Pid()
	}
	return out
}

// Transact writes to the Northbound database.
func (z *Zone) Transact(ctx context.Context, ops ...nb.Op) error {
	if err := z.writeOps(ctx, ops); err != nil {
		return fmt.Errorf("zone %s: %w", z.cfg.Name, err)
	}
	return nil
}

// Close ends all processes of the zone, removes its files, and waits for both.
func (z *Zone) Close() {
	if z.cancelStart != nil {
		z.cancelStart() // no process may start after its Close
		z.backgroundStart.Wait()
	}
	var wg sync.WaitGroup
	for _, p := range z.procs {
		wg.Go(p.Close)
	}
	wg.Wait()
	if z.cancel != nil {
		z.cancel()
	}
	z.wg.Wait()
	z.control.closeAll()
	for _, p := range z.bridge.ports {
		p.closePipe()
	}
	for _, l := range z.bridge.drop {
		l.port.closePipe()
	}
	if z.ownsFolder {
		removeZone(z.dir)
	}
}
