package ovn

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
)

// controls are the connections to the control sockets of a zone's daemons.
type controls struct {
	zone *Zone

	mu    sync.Mutex
	live  map[string]*client
	ended bool
}

// to is a connection to a daemon's control socket, the one there is if it stands.
func (c *controls) to(ctx context.Context, name string) (*client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil, fmt.Errorf("zone %s is closed", c.zone.cfg.Name)
	}
	if k := c.live[name]; k != nil {
		select {
		case <-k.done:
		default:
			return k, nil
		}
	}
	for _, n := range names {
		if n.name != name {
			continue
		}
		k, err := dial(ctx, c.zone.file(n.file+".ctl"), nil)
		if err != nil {
			return nil, fmt.Errorf("zone %s: asking %s: %w", c.zone.cfg.Name, name, err)
		}
		if c.live == nil {
			c.live = map[string]*client{}
		}
		c.live[name] = k
		return k, nil
	}
	return nil, fmt.Errorf("zone %s has no process %q", c.zone.cfg.Name, name)
}

func (c *controls) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, k := range c.live {
		k.close()
	}
}

// Control has a daemon do a command of ovs-appctl(8), and returns what it says.
func (z *Zone) Control(ctx context.Context, daemon, command string, args ...string) (string, error) {
	k, err := z.control.to(ctx, daemon)
	if err != nil {
		return "", err
	}
	params, err := json.Marshal(append([]string{}, args...))
	if err != nil {
		return "", fmt.Errorf("zone %s: writing %s: %w", z.cfg.Name, command, err)
	}
	out, err := k.call(ctx, command, params)
	if err != nil {
		return "", fmt.Errorf("zone %s: %s of %s: %w", z.cfg.Name, command, daemon, err)
	}
	var text string
	if err := json.Unmarshal(out, &text); err != nil {
		return "", fmt.Errorf("zone %s: the answer to %s: %w", z.cfg.Name, command, err)
	}
	return text, nil
}

// FlushConntrack has the node forget every connection.
func (z *Zone) FlushConntrack(ctx context.Context) error {
	_, err := z.Control(ctx, VSwitchd, "dpctl/flush-conntrack")
	return err
}
