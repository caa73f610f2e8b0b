package nbdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"rung/sources/retry"
	"strings"
	"time"
)

// Errors of a connection.
var (
	// ErrNotConnected says that a transaction was not even sent.
	ErrNotConnected = errors.New("not connected")
	// ErrWrongZone says that the database belongs to another zone.
	ErrWrongZone = errors.New("the database of another zone")
	// ErrSilent says that the server has not answered for too long.
	ErrSilent = errors.New("not answering")
)

// Config says what to connect to. Zero durations mean the defaults.
type Config struct {
	// Name is the zone's name. Unless AnyName is set, a database whose NB_Global
	// carries another name (not an empty one) is refused.
	Name    string
	AnyName bool
	// StrictName refuses an empty name, too: one that was never set.
	StrictName bool
	// Addr is "unix:/path", "tcp:host:port" or "ssl:host:port", and what Endpoint
	// prints.
	Addr string
	// TLS are the key and certificates for ssl: addresses; they are read again at
	// every dial.
	TLS TLSFiles
	// Dial, where set, makes the connection instead of Addr.
	Dial func(context.Context) (net.Conn, error)
	// Server is the text of ZoneUpdate.Server; without it, the database's name and schema
	// version.
	Server string

	// Tables limits what is read and followed; empty means all tables Rung
	// knows.
	Tables []string

	// Probe is the longest silence borne (default 5 s): after half of it an
	// echo is sent, after all of it the connection is given up.
	Probe time.Duration
	// ConnectTimeout bounds dialling together with reading the schema
	// (default 5 s); the snapshot has to begin within three times Probe.
	ConnectTimeout time.Duration
	// TransactTimeout bounds a transaction (default 5 s; a second more for each
	// megabyte of operations, and the time that those sent before it may still take).
	// Nor may the server take nothing of what it is sent for longer.
	TransactTimeout time.Duration
	// BackoffMin and BackoffMax bound the wait between two attempts
	// (default 100 ms and 5 s).
	BackoffMin, BackoffMax time.Duration
	// Coalesce is the least time between two updates to the sink (default
	// 20 ms); the first of a burst is not delayed.
	Coalesce time.Duration
	// Limit, where set, caps how many connections are made at once by all it was
	// given to.
	Limit *Limiter
	// Share, where set, lets this zone hold address sets together with the others
	// it was given to.
	Share *Sharing
	// Slot waits until the process has a core to spare for the connection's computing;
	// nil never waits. Nothing in a slot waits for the server.
	Slot func() (release func())

	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	c.Probe = cmp.Or(c.Probe, 5*time.Second)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 5*time.Second)
	c.TransactTimeout = cmp.Or(c.TransactTimeout, 5*time.Second)
	c.BackoffMin = cmp.Or(c.BackoffMin, 100*time.Millisecond)
	c.BackoffMax = cmp.Or(c.BackoffMax, 5*time.Second)
	c.Coalesce = cmp.Or(c.Coalesce, 20*time.Millisecond)
	if c.Slot == nil {
		c.Slot = retry.Slots(nil).TakeSlot
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Dial == nil {
		network, address, err := ParseAddr(c.Addr)
		c.Dial = func(ctx context.Context) (net.Conn, error) {
			if err != nil {
				return nil, err
			}
			if network == "ssl" {
				return c.TLS.dialTLS(ctx, address)
			}
			var d net.Dialer
			return d.DialContext(ctx, network, address)
		}
	}
	return c
}

// ParseAddr takes an OVSDB address ("unix:/path", "tcp:host:port",
// "ssl:host:port") apart into the network and what is dialled in it.
func ParseAddr(addr string) (network, address string, err error) {
	network, address, _ = strings.Cut(addr, ":")
	switch {
	case network == "unix" && address != "":
		return network, address, nil
	case (network == "tcp" || network == "ssl") && address != "":
		if _, _, err := net.SplitHostPort(address); err != nil {
			return "", "", fmt.Errorf("address %q: %w", addr, err)
		}
		return network, address, nil
	}
	return "", "", fmt.Errorf("address %q: want unix:PATH, tcp:HOST:PORT or ssl:HOST:PORT", addr)
}
