package nbdb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"rung/model/words"
)

// connectionUse is the purpose of a connection.
type connectionUse int

const (
	// live connections survey the pod first, and follow the rows.
	live connectionUse = iota
	// snapshotOnly connections reuse the last survey and prefer ovsdb-client, which reads a snapshot with one program.
	snapshotOnly
	// foreign connections serve another client than sources/nbdb, which asks for the whole schema and the list
	// of databases.
	foreign
)

// dialDatabase finds the pod and opens the first connection to the database that works. Programs run until ctx
// ends and are counted in programs; dial limits the opening.
func (c *programAccess) dialDatabase(ctx, dial context.Context, programs *sync.WaitGroup, use connectionUse) (net.Conn, error) {
	conn, err := c.openRelay(ctx, dial, programs, use)
	if err == nil {
		return conn, nil
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = fmt.Errorf("%w for %v: %w", ErrSilent, c.cfg.ConnectTimeout, err)
	}
	return nil, err
}

func (c *programAccess) openRelay(ctx, dial context.Context, programs *sync.WaitGroup, use connectionUse) (net.Conn, error) {
	run, endpoint, err := c.cfg.Open(dial)
	if err != nil {
		return nil, err
	}
	s := c.siteAt(words.CleanText(endpoint))
	if s == nil || use == live {
		if s, err = c.surveySite(dial, run, words.CleanText(endpoint)); err != nil {
			return nil, err
		}
		c.learnSite(s)
	}
	ways := words.Choose(use == snapshotOnly, []string{ovsdbClient, socat, python3}, []string{socat, python3, ovsdbClient})
	var failed []string
	for _, way := range ways {
		if !s.hasTool(way) {
			continue
		}
		if way == socat && !isPlainPath(s.socket) {
			err = errNotPlain
			failed = append(failed, way+": "+err.Error())
			continue
		}
		if way == ovsdbClient {
			return c.playServer(ctx, programs, run, s, use), nil
		}
		cmd := []string{socat, "-", "UNIX-CONNECT:" + s.socket}
		if way == python3 {
			cmd = []string{python3, "-I", "-c", pythonRelay, s.socket}
		}
		p := startRelay(ctx, programs, run, cmd)
		if err = p.waitForAnswer(dial, c.cfg.Quiet); err == nil {
			return p, nil
		}
		_ = p.Close()
		if dial.Err() != nil {
			return nil, dial.Err()
		}
		failed = append(failed, way+": "+words.CleanText(err.Error()))
	}
	return nil, fmt.Errorf("no program reaches %s in %s: %s (%w)", s.socket, endpoint, strings.Join(failed, "; "), err)
}

// siteAt returns the facts known about the endpoint, and records it for Endpoint.
func (c *programAccess) siteAt(endpoint string) *siteFacts {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endpoint = endpoint
	if c.site != nil && c.site.endpoint == endpoint {
		return c.site
	}
	return nil
}

func (c *programAccess) learnSite(s *siteFacts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.site = s
}

// forgetSite makes the next connection survey the pod again.
func (c *programAccess) forgetSite() { c.learnSite(nil) }
