#include "shapes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace shapes {

Circle::Circle(Point middle, double radius) : middle(middle), radius(radius) {
    if (!(radius > 0)) throw ShapeError("a circle needs a radius greater than 0, not " + std::to_string(radius));
}

double Circle::area() const { return M_PI * radius * radius; }
double Circle::outline() const { return 2 * M_PI * radius; }
bool Circle::contains(Point point) const { return std::hypot(point.x - middle.x, point.y - middle.y) <= radius; }

Polygon::Polygon(std::vector<Point> given) : corners(std::move(given)) {
    if (corners.size() < 3) throw ShapeError("a polygon needs 3 corners, not " + std::to_string(corners.size()));
}

// Twice the area of the triangle, negative if it is clockwise.
static double turn(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

std::unique_ptr<Polygon> Polygon::around(std::vector<Point> points) {
    std::sort(points.begin(), points.end(), [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::vector<Point> hull;
    // The lower side from left to right, then the upper one back.
    for (int side = 0; side < 2; side++) {
        const size_t start = hull.size();
        for (Point point : points) {
            while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0) hull.pop_back();
            hull.push_back(point);
        }
        if (!hull.empty()) hull.pop_back();
        std::reverse(points.begin(), points.end());
    }
    if (hull.size() < 3) throw ShapeError("the points are on one line");
    return std::make_unique<Polygon>(std::move(hull));
}

double Polygon::area() const {
    double twice = 0;
    for (size_t at = 0; at < corners.size(); at++) {
        const Point a = corners[at], b = corners[(at + 1) % corners.size()];
        twice += a.x * b.y - b.x * a.y;
    }
    return std::abs(twice) / 2;
}

double Polygon::outline() const {
    double sum = 0;
    for (size_t at = 0; at < corners.size(); at++) {
        const Point a = corners[at], b = corners[(at + 1) % corners.size()];
        sum += std::hypot(b.x - a.x, b.y - a.y);
    }
    return sum;
}

bool Polygon::contains(Point point) const {
    // Inside is where a ray to the right crosses the outline an odd number of times.
    bool inside = false;
    for (size_t at = 0; at < corners.size(); at++) {
        const Point a = corners[at], b = corners[(at + 1) % corners.size()];
        if ((a.y > point.y) == (b.y > point.y)) continue;
        if (point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
    }
    return inside;
}

}  // namespace shapes
