package nbdb

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
	"unique"
)

// serverPlayer acts as an OVSDB server for sources/nbdb, with ovsdb-client behind it.
type serverPlayer struct {
	cfg  *RemoteConfig
	db   databaseNames
	run  Runner
	site *siteFacts
	use  connectionUse
	rpc  *RPCConn
	// learnt receives a site together with its schema.
	learnt func(*siteFacts)

	wg   sync.WaitGroup
	end  func(why error) // ends the connection; keeps the first reason
	rows rowHashes
}

// playWrite limits how long sources/nbdb may take to read a part of a message: it decodes in between.
const playWrite = time.Minute

// playServer returns a connection to a new serverPlayer.
func (c *programAccess) playServer(ctx context.Context, programs *sync.WaitGroup, run Runner, s *siteFacts,
	use connectionUse) *programPipe {
	ours, theirs, under := newPipe(ctx)
	p := &serverPlayer{cfg: &c.cfg, db: c.db, run: run, site: s, use: use, rpc: NewRPCConn(theirs, playWrite),
		learnt: c.learnSite, end: ours.closeEnd}
	programs.Go(func() { p.serveRequests(under) })
	return ours
}

// serveRequests answers requests until the connection or ctx ends; ctx ends with the connection.
func (p *serverPlayer) serveRequests(ctx context.Context) {
	defer p.wg.Wait()
	for {
		m, err := p.rpc.Read()
		if err == nil {
			err = p.answerRequest(ctx, m)
		}
		if err != nil {
			p.end(err)
			return
		}
	}
}

// answerRequest answers one request. Long work runs in another goroutine, so that echoes are answered
// meanwhile; programs have time limits of their own.
func (p *serverPlayer) answerRequest(ctx context.Context, m Message) error {
	id := bytes.Clone(m.ID)
	beside := func(work func() ([]byte, error), then func()) {
		p.wg.Go(func() {
			reply, err := work()
			if err == nil {
				err = p.rpc.Write(ReplyText(id, reply))
			}
			if err != nil {
				p.end(err)
				return
			}
			then()
		})
	}
	switch {
	case m.Method == "echo" && id != nil:
		return p.rpc.Write(ReplyText(id, m.Params))
	case m.Method == "list_dbs" && id != nil:
		return p.rpc.Write(ReplyText(id, append(AppendString([]byte{'['}, p.db.name), ']')))
	case m.Method == "get_schema":
		beside(func() ([]byte, error) { return p.schemaReply(ctx) }, func() {})
	case m.Method == "monitor_cond":
		tables, err := monitoredTables(m.Params)
		if err != nil {
			return err
		}
		beside(func() ([]byte, error) {
			raw, err := p.queryRows(ctx, tables)
			if err != nil {
				return nil, err
			}
			return p.rows.takeReply(splitConditions(tables), raw, "initial")
		}, func() {
			if p.use == live {
				p.followChanges(ctx, tables)
			}
		})
	case m.Method == "monitor_cond_since" && id != nil: // the client then tries monitor_cond
		return p.rpc.Write(ErrorReply(id, []byte(`"unknown method"`)))
	case id != nil:
		return p.rpc.Write(ErrorReply(id, []byte(`"this connection is read-only"`)))
	}
	return nil
}

// schemaReply returns the reply to get_schema. Zones of one release share the text.
func (p *serverPlayer) schemaReply(ctx context.Context) ([]byte, error) {
	if p.site.schema != "" && p.use == snapshotOnly {
		return []byte(p.site.schema), nil
	}
	raw, err := p.runClient(ctx, "get-schema", "unix:"+p.site.socket, p.db.name)
	if err != nil {
		return nil, fmt.Errorf("get-schema: %w", err)
	}
	if !json.Valid(raw) {
		return nil, fmt.Errorf("get-schema: %w", ErrOutput)
	}
	s := *p.site
	s.schema = unique.Make(string(raw)).Value()
	p.learnt(&s)
	return raw, nil
}

// runClient runs ovsdb-client and returns its output. Its own timeout ends it if Rung is gone.
func (p *serverPlayer) runClient(ctx context.Context, args ...string) ([]byte, error) {
	cmd := []string{ovsdbClient, fmt.Sprintf("--timeout=%d", max(1, int(p.cfg.QueryTimeout/time.Second))), "-f", "json"}
	l := runLimits{quiet: p.cfg.Quiet, total: p.cfg.QueryTimeout, maxBytes: p.cfg.MaxOutput}
	return captureOutput(ctx, p.run, append(cmd, args...), l)
}

// tableColumns names a table and the columns to read.
type tableColumns struct {
	name    string
	columns []string
	// where lists alternative conditions; empty reads every row.
	where []json.RawMessage
}

// splitConditions splits tables into entries with at most one condition, since a select requires all of its
// conditions. Entries of one table are adjacent.
func splitConditions(tables []tableColumns) (out []tableColumns) {
	for _, t := range tables {
		if len(t.where) == 0 {
			out = append(out, t)
		}
		for _, w := range t.where {
			out = append(out, tableColumns{t.name, t.columns, []json.RawMessage{w}})
		}
	}
	return out
}

// monitoredTables reads the parameters of monitor_cond, as sources/nbdb or libovsdb sends them. libovsdb does
// not put a table's only request in a list.
func monitoredTables(params []byte) ([]tableColumns, error) {
	var three []json.RawMessage
	if err := json.Unmarshal(params, &three); err != nil || len(three) != 3 {
		return nil, errors.Join(errors.New("monitor_cond without three parameters"), err)
	}
	var tables map[string]json.RawMessage
	if err := json.Unmarshal(three[2], &tables); err != nil {
		return nil, fmt.Errorf("monitor_cond: %w", err)
	}
	var out []tableColumns
	for name, raw := range tables {
		var r struct {
			Columns []string
			Where   []json.RawMessage
		}
		list := []json.RawMessage{raw}
		if bytes.HasPrefix(raw, []byte("[")) {
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, fmt.Errorf("monitor_cond: table %s: %w", name, err)
			}
		}
		if len(list) != 1 || json.Unmarshal(list[0], &r) != nil || len(r.Columns) == 0 {
			return nil, fmt.Errorf("monitor_cond: table %s: want one request with columns", name)
		}
		out = append(out, tableColumns{name, r.Columns, r.Where})
	}
	slices.SortFunc(out, func(a, b tableColumns) int { return cmp.Compare(a.name, b.name) })
	return out, nil
}
