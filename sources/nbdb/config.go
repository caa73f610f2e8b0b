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

// The errors of a connection.
var (
	// ErrNotConnected means that a transaction was not sent.
	ErrNotConnected = errors.New("not connected")
	// ErrWrongZone means that the database belongs to another zone.
	ErrWrongZone = errors.New("the database of another zone")
	// ErrSilent means that the server has not answered for too long.
	ErrSilent = errors.New("not answering")
)

// Config configures a connection. Zero durations mean the defaults.
type Config struct {
	// Name is the zone's name. Unless AnyName is set, a database with another name in NB_Global is rejected;
	// an empty name passes.
	Name    string
	AnyName bool
	// StrictName also rejects an empty name, which means it was never set.
	StrictName bool
	// Addr is "unix:/path", "tcp:host:port" or "ssl:host:port"; Endpoint returns it.
	Addr string
	// TLS names the key and certificates for ssl: addresses. They are read again for every connection.
	TLS TLSFiles
	// Dial, if set, connects instead of Addr.
	Dial func(context.Context) (net.Conn, error)
	// NotBefore is when a simulated zone begins to answer at Addr.
	NotBefore time.Time
	// Server is the text of ZoneUpdate.Server, by default the database's name and schema version.
	Server string

	// Tables limits the tables that are read and followed; empty means all that Rung knows.
	Tables []string

	// Probe is the longest accepted silence (default 5 s). Half of it triggers an echo; all of it closes the
	// connection.
	Probe time.Duration
	// ConnectTimeout limits dialling and reading the schema (default 5 s). The snapshot must begin within
	// three times Probe.
	ConnectTimeout time.Duration
	// TransactTimeout limits a transaction (default 5 s). It grows by a second per megabyte of operations, and
	// by the limits of transactions sent before. It is also how long the server may read nothing.
	TransactTimeout time.Duration
	// BackoffMin and BackoffMax limit the wait between attempts (default 100 ms and 5 s).
	BackoffMin, BackoffMax time.Duration
	// Coalesce is the shortest time between two updates to the sink (default 20 ms). The first of a burst is
	// not delayed.
	Coalesce time.Duration
	// Limit, if set, limits how many connections that share it are made at once.
	Limit *Limiter
	// Share, if set, lets this zone share equal address sets with the other zones that have it.
	Share *Sharing
	// Slot waits until the process has a core to spare for the connection; nil never waits. Code in a slot
	// does not wait for the server.
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
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Dial == nil {
		network, address, err := ParseAddr(c.Addr)
		c.Dial = func(ctx context.Context) (net.Conn, error) {
			if err != nil {
				return nil, err
			}
			if left := time.Until(c.NotBefore); left > 0 {
				return nil, fmt.Errorf("simulated: the zone answers in %s", left.Round(time.Second))
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

// ParseAddr splits an OVSDB address ("unix:/path", "tcp:host:port", "ssl:host:port") into the network and the
// address to dial.
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
