package nbdb

import (
	"context"
	"encoding/json"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
)

// SouthboundUpdate is an update of a Southbound connection: its state and, if ConnSynced, the database.
type SouthboundUpdate struct {
	Conn     model.ConnState
	At       time.Time
	Attempts int
	Error    string
	Server   string // the database and its schema's version
	DB       *flow.DB
}

// Southbound is the connection to one zone's Southbound database. It reads the logical flows of ACLs and their
// related rows, and writes nothing. Call Run once.
//
// Memory depends on the ACLs, not on the database: conditions on external_ids:stage-name ask the server only
// for flows of the ACL stages. So most of half a million flows are never sent.
type Southbound struct{ connection }

// DialSouthbound returns a connection that Run keeps up. Nothing is connected before Run or Read. It ignores
// the settings in cfg for zone names, tables, sharing and transactions.
func DialSouthbound(cfg Config) *Southbound {
	cfg.Share = nil
	return &Southbound{connection{cfg: cfg.withDefaults()}}
}

// Run connects, passes the database to sink after every change, and reconnects whenever the connection is
// lost, until ctx ends. It calls sink only from this goroutine; sink may be slow. Run returns when all its
// goroutines have ended.
func (c *Southbound) Run(ctx context.Context, sink func(SouthboundUpdate)) {
	c.cfg.keepConnected(ctx, func(state model.ConnState, attempts int, reason string) {
		sink(SouthboundUpdate{Conn: state, At: time.Now(), Attempts: attempts, Error: reason})
	}, func(ctx context.Context) (func() error, error) {
		s, err := openSouthbound(ctx, &c.cfg)
		if err != nil {
			return nil, err
		}
		return func() error { return c.serveRows(ctx, s, sink) }, nil
	})
}

func (c *Southbound) serveRows(ctx context.Context, s *southboundSession, sink func(SouthboundUpdate)) error {
	c.current.Store(s.session)
	defer c.current.Store(nil)
	tell := func() uint64 {
		db, seq := s.currentRows()
		sink(SouthboundUpdate{Conn: model.ConnSynced, At: time.Now(), Server: flow.Database + " " + s.version, DB: db})
		return seq
	}
	s.noteDelivered(tell())
	return s.serveSink(ctx, tell)
}

// Read reads one snapshot over a connection of its own and closes it.
func (c *Southbound) Read(ctx context.Context) (*flow.DB, error) {
	s, err := openSouthbound(ctx, &c.cfg)
	if err != nil {
		return nil, err
	}
	defer s.close(errClosed)
	db, _ := s.currentRows()
	return db, nil
}

// southboundSession is a session on a Southbound database.
type southboundSession struct {
	*session
	db *flow.DB // with the session's lock; only the reader writes it
}

func openSouthbound(ctx context.Context, cfg *Config) (n *southboundSession, err error) {
	err = openSession(ctx, cfg, func(s *session) sessionRows {
		n = &southboundSession{session: s}
		return n
	})
	return n, err
}

func (*southboundSession) databaseName() string { return flow.Database }

func (*southboundSession) monitorRequest(schema []byte) ([]byte, string, error) {
	return monitorRequests(schema, flow.Database, watchedSouthbound)
}

func (s *southboundSession) takeUpdates(updates []byte, _ bool) (publish func(), err error) {
	ch, err := southboundChanges(updates, s.db)
	if err != nil {
		return nil, err
	}
	db := s.db.Apply(ch)
	return func() { s.db = db }, nil
}

// currentRows returns the database and its seq.
func (s *southboundSession) currentRows() (*flow.DB, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db, s.seq
}

// Keys of external_ids in a Southbound database.
const (
	keyStage  = "stage-name"
	keyHint   = "stage-hint"
	keySwitch = "logical-switch"
	keyName   = "name"
)

// watchedSouthbound are the monitored tables of a Southbound database.
var watchedSouthbound = []tableRead{
	{table: flow.TableGlobal, columns: []string{"nb_cfg"}},
	{table: flow.TableChassis, columns: []string{"name", "nb_cfg"}, optional: []string{"nb_cfg_timestamp"}},
	{table: flow.TableDatapath, columns: []string{"external_ids"}},
	{table: flow.TableGroup, columns: []string{"datapaths"}},
	{table: flow.TableFlow, columns: []string{"logical_datapath", "logical_dp_group", "pipeline", "table_id", "priority",
		"match", "actions", "external_ids"}, where: aclConditions()},
}

// aclConditions returns the conditions for flows of the ACL stages; the server sends rows that meet one
// (ovsdb-server(7) §4.1.12).
func aclConditions() string {
	var conditions [][3]any
	for _, stage := range flow.ACLStages() {
		conditions = append(conditions, [3]any{"external_ids", "includes", []any{"map", [][2]string{{keyStage, stage}}}})
	}
	text, _ := json.Marshal(conditions) // strings and lists: it cannot fail
	return string(text)
}

// southboundChanges reads updates of db. It skips rows without a valid _uuid.
func southboundChanges(raw []byte, db *flow.DB) ([]flow.RowChange, error) {
	d := &rowDecoder{Lexer: NewLexer(raw)}
	var out []flow.RowChange
	var misfit error
	err := d.readUpdates(watchedSouthbound, func(table string, id []byte, kind string) {
		old := db.Row(table, string(id))
		uuid := internClean(id)
		if !nb.IsUUID(uuid) {
			d.Skip()
			return
		}
		// An unknown flow is consistent: the snapshot leaves out flows of other stages.
		lacking := old == nil && table != flow.TableFlow
		switch {
		case kind == "delete":
			d.Skip()
			if lacking {
				misfit = inconsistentError(table, uuid, "was deleted")
			}
			if old != nil {
				out = append(out, flow.RowChange{Old: old})
			}
		case kind == "modify" && old == nil:
			d.Skip()
			if lacking {
				misfit = inconsistentError(table, uuid, "changed")
			}
		default:
			if row := d.readSouthbound(table, uuid, old, kind == "modify"); row != nil || old != nil {
				out = append(out, flow.RowChange{Old: old, New: row})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return out, misfit
}

// readSouthbound reads an object of columns, as readRow does. It returns nil for a flow outside the ACL
// stages.
func (d *rowDecoder) readSouthbound(table, uuid string, old flow.Row, delta bool) flow.Row {
	switch table {
	case flow.TableFlow:
		r := rowCopy[flow.LogicalFlow](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"pipeline", &r.Pipeline}, {"table_id", &r.Table}, {"priority", &r.Priority},
			{"match", &r.Match}, {"actions", &r.Actions},
			{"logical_datapath", func() { r.Datapath = d.optionalUUID() }},
			{"logical_dp_group", func() { r.Group = d.optionalUUID() }},
			{"external_ids", func() { d.readPicks(map[string]*string{keyStage: &r.Stage, keyHint: &r.Hint}, delta) }}})
		if !flow.IsACLStage(r.Stage) {
			return nil
		}
		return r
	case flow.TableGroup:
		r := rowCopy[flow.Group](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"datapaths", &r.Datapaths}})
		return r
	case flow.TableDatapath:
		r := rowCopy[flow.Datapath](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"external_ids", func() {
			d.readPicks(map[string]*string{keyName: &r.Name, keySwitch: &r.Switch}, delta)
		}}})
		if !nb.IsUUID(r.Switch) {
			r.Switch = ""
		}
		return r
	case flow.TableChassis:
		r := rowCopy[flow.Chassis](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"nb_cfg", &r.NbCfg}, {"nb_cfg_timestamp", &r.Stamp}})
		return r
	}
	r := rowCopy[flow.Global](old)
	d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"nb_cfg", &r.NbCfg}})
	return r
}

// readPicks reads the wanted entries of a map. In a delta, an entry equal to the old one was deleted.
func (d *rowDecoder) readPicks(want map[string]*string, delta bool) {
	d.readPairs(func(key, value string) {
		to := want[key]
		switch {
		case to == nil:
		case delta && *to == value:
			*to = ""
		default:
			*to = value
		}
	})
}
