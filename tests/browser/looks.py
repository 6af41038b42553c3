"""What a page shows at a time: zooming, texts of lines, wide tables on paper, the order of columns.  Parts of browser-test.py."""
# SPDX-License-Identifier: MIT
import samples

TABLE = "document.getElementById('table-kernel-time')"


class Zooming:
    def test_zoom_moves_x_alone_and_never_ends_empty(self):
        """Two clouds of points far from each other: in the middle there is nothing, and y says what it said."""
        x = [0.0, 1.0, 2.0, 98.0, 99.0, 100.0]
        dots = samples.series("points", "", 0, x=x, y=[1.0, 5.0, 9.0, 1.0, 5.0, 9.0])
        for sign in ("+", "-"):
            page = self.visit(self.show(samples.document(pictures=[samples.picture("dots", samples.panel(samples.axis("X", high=100.0), samples.axis("Y", high=10.0), dots))])))
            chart = "document.querySelector('#figure-dots .chart')"
            page.evaluate(f"{chart}.focus()")
            strip = f"(() => {{ const c = {chart}.querySelector('canvas'), x = document.createElement('canvas'); x.width = 36; x.height = c.height;" \
                    " x.getContext('2d').drawImage(c, 0, 0); return x.toDataURL(); })()"
            coloured = f"(() => {{ const c = {chart}.querySelector('canvas'), x = new OffscreenCanvas(c.width - 80, c.height - 70)" \
                       f".getContext('2d', {{ willReadFrequently: true }}); x.drawImage(c, -60, -10);" \
                       " const d = x.getImageData(0, 0, x.canvas.width, x.canvas.height).data;" \
                       " let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] < 120 && d[i + 2] > 150; return n; })()"
            page.frames(3)
            before, whole = page.evaluate(strip), self.image(page, "dots")
            for _ in range(24):
                page.key("+", 187, "+")
            page.frames(3)
            self.assertNotEqual(self.image(page, "dots"), whole)
            self.assertEqual(page.evaluate(strip), before)
            self.assertGreater(page.evaluate(coloured), 0)
            for _ in range(3):
                page.key("ArrowRight" if sign == "+" else "ArrowLeft", 39 if sign == "+" else 37)
                page.frames(3)
                self.assertGreater(page.evaluate(coloured), 0)

    def test_texts_of_lines_are_there(self):
        def drawn(*texts):
            line = samples.series("line", "", 0, x=[0.2, 0.8], y=[0.2, 0.8], text=list(texts))
            page = self.visit(self.show(samples.document(pictures=[samples.picture("dots", samples.panel(samples.axis("X"), samples.axis("Y"), line))])))
            page.frames(3)
            return self.image(page, "dots")
        self.assertNotEqual(drawn("8", "16"), drawn("", ""))


class Columns:
    def test_wide_tables_on_paper(self):
        """In parts, each with the first column; nothing stands beyond the edge of the sheet."""
        names = [f"column_of_number_{i}" for i in range(24)]
        columns = [{"name": name, "unit": None, "type": "text" if i == 0 else "int", "help": "x"} for i, name in enumerate(names)]
        wide = {"name": "kernel-time", "help": "", "n_rows": 3, "columns": columns,
                "rows": [[f"row {r}", *(1000 * r + i for i in range(1, 24))] for r in range(3)]}
        page = self.show(samples.document(tables=[wide]), width=704)  # A4 less its margins
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.media(medium="print")
        page.frames()
        headings = page.evaluate(f"[...{TABLE}.querySelectorAll('table.part')].map((p) => [...p.querySelectorAll('th')].map((h) => h.textContent))")
        self.assertGreater(len(headings), 2)
        self.assertEqual({part[0] for part in headings}, {"column of number 0"})
        self.assertEqual([text for part in headings for text in part[1:]], [name.replace("_", " ") for name in names[1:]])
        cells = f"[...{TABLE}.querySelectorAll('table.part th, table.part td')]"
        self.assertLessEqual(page.evaluate(f"Math.max(...{cells}.map((c) => c.getBoundingClientRect().right))"), 704)
        self.assertEqual(page.evaluate(f"{cells}.filter((c) => c.scrollWidth > c.clientWidth + 1).length"), 0)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 704)
        page.evaluate("dispatchEvent(new Event('afterprint'))")

    def test_columns_that_tell_rows_apart_come_first(self):
        columns = [{"name": name, "unit": None, "type": kind} for name, kind in (("same", "int"), ("none", "text"), ("blank", "text"), ("name", "text"), ("n", "int"))]
        table = {"name": "kernel-time", "help": "", "n_rows": 2, "columns": columns, "rows": [[7, None, "", "b", 1], [7, None, "", "a", 2]]}
        page = self.show(samples.document(tables=[table]))
        heads = f"[...{TABLE}.querySelectorAll('th')].map((h) => h.textContent)"
        self.assertEqual(page.evaluate(heads), ["name", "n", "same", "none", "blank"])
        row = f"[...{TABLE}.querySelector('tbody tr').children].map((c) => c.textContent)"
        self.assertEqual(page.evaluate(row), ["b", "1", "7", "", ""])
        page.evaluate(f"{TABLE}.querySelector('th button').click()")
        self.assertEqual(page.evaluate(row), ["a", "2", "7", "", ""])
        self.assertEqual(page.evaluate(f"[...{TABLE}.querySelectorAll('th')].map((h) => h.getAttribute('aria-sort'))"), ["ascending"] + ["none"] * 4)
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })")
        page.evaluate(f"{TABLE}.querySelector('.copy').click()")
        page.wait("window.copied")
        self.assertEqual(page.evaluate("window.copied").split("\r\n")[0], "same,none,blank,name,n")
