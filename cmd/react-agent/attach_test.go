package main

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// picture FILE WIDTH HEIGHT [noise|bomb|cut|moving] writes a PNG, or a moving GIF. Its pixels depend on nothing else, noise
// makes it as large as it can be, bomb only says that it is 60,000 pixels wide and high.
func picture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: picture FILE WIDTH HEIGHT [noise|bomb|cut|moving]")
	}
	w, err := strconv.Atoi(args[1])
	ts.Check(err)
	h, err := strconv.Atoi(args[2])
	ts.Check(err)
	how := ""
	if len(args) > 3 {
		how = args[3]
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	seed := uint32(w*31 + h)
	for i := range img.Pix {
		seed = seed*1664525 + 1013904223
		img.Pix[i] = uint8(i >> 8)
		if how == "noise" {
			img.Pix[i] = uint8(seed >> 24)
		}
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	var b bytes.Buffer
	if how == "moving" {
		p := image.NewPaletted(img.Bounds(), color.Palette{color.Black, color.White})
		ts.Check(gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{p, p}, Delay: []int{1, 1}}))
	} else {
		ts.Check(png.Encode(&b, img))
	}
	data := b.Bytes()
	switch how {
	case "bomb":
		binary.BigEndian.PutUint32(data[16:], 60_000)
		binary.BigEndian.PutUint32(data[20:], 60_000)
		binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	case "cut":
		data = data[:len(data)-20]
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, data, 0o600))
}
