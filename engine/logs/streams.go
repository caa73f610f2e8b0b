package logs

import (
	"rung/model"
)

// Ask says that somebody looks at the log: on a cluster the nodes' logs are
// followed from then on. It may be called as often as one likes.
func (l *Store) Ask() { l.askOnce.Do(func() { close(l.asked) }) }

// FollowedBy says where the lines come from: f lists the streams, by zone.
func (l *Store) FollowedBy(f func() []model.LogStream) { l.streams.Store(&f) }

// Streams are the nodes' logs and how each stands, by zone; nil where lines do
// not come from a cluster.
func (l *Store) Streams() []model.LogStream {
	if f := l.streams.Load(); f != nil {
		return (*f)()
	}
	return nil
}
