package ovsdb

import (
	"encoding/json"
	"io"
	"net"
)

// Alter is a connection to a server on which the rows of snapshots are altered: alter
// gets each, in the notation of the protocol, and returns what becomes of it; nil takes
// it away. It ends with either side.
func Alter(server net.Conn, alter func(table, uuid string, row map[string]any) map[string]any) net.Conn {
	ours, theirs := net.Pipe()
	go func() {
		defer server.Close()
		_, _ = io.Copy(server, theirs) // until one of them is closed
	}()
	go func() {
		defer theirs.Close()
		messages, write := json.NewDecoder(server), json.NewEncoder(theirs)
		messages.UseNumber()
		for {
			var m map[string]any
			if messages.Decode(&m) != nil {
				return
			}
			result := m["result"]
			if since, ok := result.([]any); ok && len(since) == 3 {
				result = since[2] // of monitor_cond_since
			}
			if tables, ok := result.(map[string]any); ok {
				for table, rows := range tables {
					rows, _ := rows.(map[string]any)
					for uuid, update := range rows {
						update, _ := update.(map[string]any)
						row, ok := update["initial"].(map[string]any)
						if !ok {
							continue // no snapshot
						}
						row = alter(table, uuid, row)
						if row == nil {
							delete(rows, uuid)
						}
						update["initial"] = row
					}
				}
			}
			if write.Encode(m) != nil {
				return
			}
		}
	}()
	return ours
}

// Elements returns the elements of a set in the notation of the protocol.
func Elements(set any) []any {
	if s, ok := set.([]any); ok && s[0] == "set" {
		return s[1].([]any)
	}
	return []any{set}
}
