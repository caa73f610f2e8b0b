package ovn

import "encoding/binary"

const (
	pcapMagic  = 0xa1b2c3d4
	pcapHeader = 24
	pcapRecord = 16
	// maxFrame is longer than any frame of a dummy port; a record that says more is
	// none.
	maxFrame = 1 << 17
)

// readPcap hands every whole frame of a pcap stream to f and returns what is left. A
// header comes whenever ovs-vswitchd opens the pipe anew. ok is false where the bytes
// are no pcap.
func readPcap(b []byte, f func(frame []byte)) (rest []byte, ok bool) {
	for {
		switch {
		case len(b) < pcapRecord:
			return b, true
		case binary.NativeEndian.Uint32(b) == pcapMagic:
			if len(b) < pcapHeader {
				return b, true
			}
			b = b[pcapHeader:]
			continue
		}
		n := binary.NativeEndian.Uint32(b[8:])
		if n > maxFrame {
			return nil, false
		}
		if len(b) < pcapRecord+int(n) {
			return b, true
		}
		f(b[pcapRecord : pcapRecord+int(n)])
		b = b[pcapRecord+int(n):]
	}
}
