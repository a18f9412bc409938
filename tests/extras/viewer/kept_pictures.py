"""Pictures of scenes, and their distance from the kept ones in pictures/."""

import base64
import json
from pathlib import Path

PICTURES = Path(__file__).resolve().parent / "pictures"
# The scene without its controls, as a small picture.
_PICTURE = """
(() => {
  %(page)s.view.draw(%(drawings)s);
  const small = document.createElement("canvas");
  [small.width, small.height] = [240, Math.round(240 * innerHeight / innerWidth)];
  const context = small.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(%(page)s.view.canvas, 0, 0, small.width, small.height);
  return small.toDataURL("image/png");
})()
"""
# How far two pictures are apart: the mean difference of a colour, of 255, and the part of the pixels that differ a lot.
_DIFFERENCE = """
Promise.all([%s, %s].map(url => new Promise(done => {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d").drawImage(image, 0, 0);
    done(canvas.getContext("2d").getImageData(0, 0, image.width, image.height));
  };
  image.src = url;
}))).then(([a, b]) => {
  if (a.width !== b.width || a.height !== b.height) return [255, 1];
  let sum = 0, far = 0;
  for (let i = 0; i < a.data.length; ++i) {
    sum += Math.abs(a.data[i] - b.data[i]);
    far += Math.abs(a.data[i] - b.data[i]) > 40;
  }
  return [sum / a.data.length * 4 / 3, far / a.data.length];
})
"""


def picture_of(page, drawings):
    """What makes a picture, as a data URL, of the page in the JavaScript variable `page`."""
    return _PICTURE % {"page": page, "drawings": drawings}


def difference_from_kept(browser, name, picture, is_writing):
    """The mean difference of a colour, of 255, and the part of the pixels that differ a lot."""
    url = browser.evaluate(picture)
    bytes_of_url = base64.b64decode(url.partition(",")[2])
    Path(f"{name}.png").write_bytes(bytes_of_url)
    kept = PICTURES / f"{name}.png"
    if is_writing:
        kept.write_bytes(bytes_of_url)
    kept_url = "data:image/png;base64," + base64.b64encode(kept.read_bytes()).decode()
    return browser.evaluate(_DIFFERENCE % (json.dumps(url), json.dumps(kept_url)))
