// Reads HTML once from front to back and reports each part to a handler. Every character is looked at a bounded number of times,
// whatever the page does. Self-contained: the class is sent to a worker as text (see in-worker.ts), so it uses nothing outside itself.

export interface HtmlHandler {
  /** Only the attributes that matter to a reader. */
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  /** Entities are decoded. */
  text(text: string): void;
}

export class HtmlTokens {
  /** Their content is no markup; it ends with their own end tag only. */
  readonly #raw = new Set("script style textarea title xmp iframe noembed noframes".split(" "));
  readonly #void = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
  /** The others are skipped, so that a tag with a million attributes costs no memory. */
  readonly #attributesKept = new Set("href src alt start class".split(" "));
  readonly #entities: ReadonlyMap<string, string> = new Map(
    (
      "amp & lt < gt > quot \" apos ' nbsp \u00a0 hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ " +
      "laquo « raquo » lsaquo ‹ rsaquo › bull • middot · para ¶ sect § dagger † Dagger ‡ copy © reg ® trade ™ deg ° plusmn ± " +
      "times × divide ÷ minus − ne ≠ le ≤ ge ≥ asymp ≈ equiv ≡ infin ∞ radic √ sum ∑ prod ∏ int ∫ part ∂ permil ‰ prime ′ Prime ″ " +
      "frac12 ½ frac14 ¼ frac34 ¾ sup1 ¹ sup2 ² sup3 ³ micro µ ordf ª ordm º not ¬ cent ¢ pound £ yen ¥ euro € curren ¤ " +
      "larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ check ✓ cross ✗ star ☆ iexcl ¡ iquest ¿ brvbar ¦ uml ¨ macr ¯ acute ´ cedil ¸ " +
      "Agrave À Aacute Á Acirc Â Atilde Ã Auml Ä Aring Å AElig Æ Ccedil Ç Egrave È Eacute É Ecirc Ê Euml Ë Igrave Ì Iacute Í Icirc Î Iuml Ï " +
      "ETH Ð Ntilde Ñ Ograve Ò Oacute Ó Ocirc Ô Otilde Õ Ouml Ö Oslash Ø Ugrave Ù Uacute Ú Ucirc Û Uuml Ü Yacute Ý THORN Þ szlig ß " +
      "agrave à aacute á acirc â atilde ã auml ä aring å aelig æ ccedil ç egrave è eacute é ecirc ê euml ë igrave ì iacute í icirc î iuml ï " +
      "eth ð ntilde ñ ograve ò oacute ó ocirc ô otilde õ ouml ö oslash ø ugrave ù uacute ú ucirc û uuml ü yacute ý thorn þ yuml ÿ " +
      "OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ alpha α beta β gamma γ delta δ epsilon ε lambda λ mu μ pi π sigma σ tau τ phi φ omega ω " +
      "Delta Δ Sigma Σ Omega Ω ensp \u2002 emsp \u2003 thinsp \u2009 zwnj \u200c zwj \u200d shy \u00ad lbrace { rbrace } lbrack [ rbrack ] lpar ( rpar ) " +
      "num # dollar $ percnt % ast * plus + comma , period . sol / colon : semi ; equals = quest ? commat @ bsol \\ Hat ^ lowbar _ grave ` vert | Tab \t NewLine \n"
    )
      .split(/ (?=[A-Za-z]+[0-9]* )/)
      .map((pair) => [pair.slice(0, pair.indexOf(" ")), pair.slice(pair.indexOf(" ") + 1)] as const),
  );

  readonly #html: string;
  readonly #handler: HtmlHandler;
  #at = 0;

  constructor(html: string, handler: HtmlHandler) {
    this.#html = html;
    this.#handler = handler;
  }

  read(): void {
    const html = this.#html;
    while (this.#at < html.length) {
      const next = html.indexOf("<", this.#at);
      const end = next === -1 ? html.length : next;
      if (end > this.#at) this.#handler.text(this.#decoded(html.slice(this.#at, end)));
      this.#at = end;
      if (next !== -1) this.#markup();
    }
  }

  /** At a `<`. */
  #markup(): void {
    const html = this.#html;
    const after = html.charAt(this.#at + 1);
    if (/[a-z]/i.test(after)) this.#startTag();
    else if (after === "/") this.#endTag();
    else if (html.startsWith("<!--", this.#at)) this.#skipBehind("-->", this.#at + 4);
    else if (after === "!" || after === "?") this.#skipBehind(">", this.#at + 2);
    else {
      this.#handler.text("<");
      this.#at += 1;
    }
  }

  #startTag(): void {
    this.#at += 1;
    const name = this.#word(/[^\s/>]*/y).toLowerCase();
    const attributes = this.#attributes();
    this.#handler.open(name, attributes);
    if (this.#void.has(name)) this.#handler.close(name);
    else if (this.#raw.has(name)) this.#rawText(name);
  }

  #endTag(): void {
    this.#at += 2;
    const name = this.#word(/[^\s/>]*/y).toLowerCase();
    this.#skipBehind(">", this.#at);
    this.#handler.close(name);
  }

  #rawText(name: string): void {
    const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
    end.lastIndex = this.#at;
    const found = end.exec(this.#html)?.index ?? this.#html.length;
    this.#handler.text(this.#decoded(this.#html.slice(this.#at, found)));
    this.#at = found;
    // The end tag itself comes next; a page that ends here has none.
    if (found === this.#html.length) this.#handler.close(name);
  }

  /** Up to and with the `>`. */
  #attributes(): Map<string, string> {
    const html = this.#html;
    const attributes = new Map<string, string>();
    while (this.#at < html.length) {
      this.#word(/[\s/]*/y);
      if (html[this.#at] === ">") {
        this.#at += 1;
        break;
      }
      const name = this.#word(/=?[^\s/>=]*/y).toLowerCase();
      this.#word(/\s*/y);
      let value = "";
      if (html[this.#at] === "=") {
        this.#at += 1;
        this.#word(/\s*/y);
        value = this.#attributeValue();
      }
      if (this.#attributesKept.has(name) && !attributes.has(name)) attributes.set(name, value);
    }
    return attributes;
  }

  #attributeValue(): string {
    const quote = this.#html[this.#at];
    if (quote !== '"' && quote !== "'") return this.#decoded(this.#word(/[^\s>]*/y));
    const start = this.#at + 1;
    const found = this.#html.indexOf(quote, start);
    const end = found === -1 ? this.#html.length : found;
    this.#at = Math.min(end + 1, this.#html.length);
    return this.#decoded(this.#html.slice(start, end));
  }

  #word(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const word = pattern.exec(this.#html)?.[0] ?? "";
    this.#at += word.length;
    return word;
  }

  #skipBehind(end: string, from: number): void {
    const found = this.#html.indexOf(end, from);
    this.#at = found === -1 ? this.#html.length : found + end.length;
  }

  #decoded(text: string): string {
    if (!text.includes("&")) return text;
    return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,30}));?/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return this.#entities.get(name as string) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : "\ufffd";
    });
  }
}
