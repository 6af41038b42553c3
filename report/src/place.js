// From numbers of a panel to pixels of its canvas, and back to shares of the axes.
// SPDX-License-Identifier: MIT

export class Place {
  constructor(area, x, y, sideways) {
    Object.assign(this, { area, x, y, sideways: Boolean(sideways) });
    this.across_ = sideways ? y : x; // the axis that runs to the right
    this.up = sideways ? x : y;
    // Turned categories are read from the top.
    this.upDown = Boolean(sideways) !== this.up.down;
    this.left = area.left;
    this.right = area.left + area.width;
    this.top = area.top;
    this.categoriesX = Boolean(x.categories);
  }

  pixel(acrossShare, upShare) {
    const { area } = this;
    const right = this.across_.down ? 1 - acrossShare : acrossShare, down = this.upDown ? upShare : 1 - upShare;
    return [area.left + right * area.width, area.top + down * area.height];
  }

  at(x, y) {
    const [shareX, shareY] = [x === null ? NaN : this.x.share(x), y === null ? NaN : this.y.share(y)];
    return this.sideways ? this.pixel(shareY, shareX) : this.pixel(shareX, shareY);
  }

  // Both ends of a line across the panel, and of one at an x.
  across(y) {
    const share = this.y.share(y);
    return this.sideways ? [this.pixel(share, 0), this.pixel(share, 1)] : [this.pixel(0, share), this.pixel(1, share)];
  }

  down(x) {
    const share = this.x.share(x);
    return this.sideways ? [this.pixel(0, share), this.pixel(1, share)] : [this.pixel(share, 0), this.pixel(share, 1)];
  }

  // A bar that begins at 0 begins at the low end of a logarithmic axis.
  clampY(y) {
    const { base, shown, factor } = this.y;
    return base && !(y * factor > 0) ? base ** shown[0] / factor : y;
  }

  // Shares of the two axes as the pointer is on them, to the right and upwards.
  shares(px, py) {
    const { area } = this, right = (px - area.left) / area.width, down = (py - area.top) / area.height;
    return [this.across_.down ? 1 - right : right, this.upDown ? down : 1 - down];
  }

  contains(px, py) {
    const { area } = this;
    return px >= area.left && px <= area.left + area.width && py >= area.top && py <= area.top + area.height;
  }
}
